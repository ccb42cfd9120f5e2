import type { CatalogueEntry } from './entry.ts'

export const fetchCodes = {
  'FETCH.TOKEN': {
    exit: 65,
    title: 'invalid token for the hub',
    explain:
      'The secret that `model.source.token` refers to is empty, or contains characters that no token has: blanks, line breaks, letters beyond ASCII. It was not sent.',
  },
  'FETCH.NOT_STARTED': {
    exit: 1,
    title: 'the download could not be started',
    explain:
      'A download runs on its host in its own process, which outlives the connection. That process could not be started. Either its folder (`fetch` in `converge_dir`) cannot be written, or the host ends all processes of a login (`KillUserProcesses` of systemd-logind). In the latter case set `ansible_become`, or run `loginctl enable-linger` there once. Nothing was fetched.',
  },
  'FETCH.NOT_STOPPED': {
    exit: 1,
    title: 'the download may still be running',
    explain:
      'converge asked the process of the download to end, then killed it. It still seems to be running, or the connection broke in the meantime. The data fetched so far is kept in any case. `converge fetch status` shows whether the download is running.',
  },
  'FETCH.FILES': {
    exit: 3,
    title: 'the source does not name exactly one model',
    explain:
      '`model.source` must select exactly one model at that commit. Here no file matches, several models match, or a part is missing. Or the first file does not have the name that `model.path` ends with. converge puts files of Kind A beside `model.path` under their own names, and those of Kind B below it.',
  },
  'FETCH.SOURCES': {
    exit: 3,
    title: 'two services load one path from different sources',
    explain:
      'Services of one host that load the same `model.path` share one download, so their `model.source` must be the same. Give each model its own path.',
  },
  'FETCH.UNWRITABLE': {
    exit: 5,
    title: 'the files of the model cannot be written',
    explain:
      'The folder of `model.path` does not exist and cannot be created, or the account that converge uses may not write there. No existing file was changed.',
  },
  'FETCH.UNREADABLE': {
    exit: 5,
    title: 'a file could not be hashed',
    explain:
      'A file counts as fetched only after it was hashed and its digest is right. Hashing failed three times. The disk could not be read to the end of the file, or the hashing program was killed. Or the file changed in the meantime, or the volume of `converge_dir` is full. The data fetched so far is kept. `converge fetch log` shows what happened.',
  },
  'FETCH.BUSY': {
    exit: 5,
    title: 'another job is fetching the same file',
    explain:
      'There is a lock, `NAME.lock`, beside the file. Another job is writing the file, from another folder of converge or from another machine that shares the volume. If that machine or process no longer exists, remove the lock.',
  },
  'FETCH.LOST': {
    exit: 4,
    title: 'the host stopped answering during a download',
    explain:
      'converge was following the download and could not reach the host for 15 minutes. The download needs no connection and continues there, unless the host is down. `converge fetch status` shows its progress; `converge fetch` follows or resumes it.',
  },
  'FETCH.NO_NEIGHBOUR': {
    exit: 3,
    title: 'no other host of the fleet has the file',
    explain:
      'The source says `from: fleet`, so the file must come from another host of the fleet, and converge does not ask the hub for it. A host has the file if `converge fetch` took its digest there and the file was not modified since. Either no host that uses a model of the same repository has the file, or those hosts could not be reached, or their file changed. The data fetched so far is kept.',
  },
  'FETCH.NEEDS_CONTROLLER': {
    exit: 3,
    title: 'a copy from another host needs converge to stay connected',
    explain:
      'The source says `from: fleet`, so the file is copied from another host through the machine that runs converge. converge must therefore stay until the copy is complete. With `--detach` it does not, nor in a run without a terminal, unless you add `--follow`. With `from: auto`, the hub is asked in that case.',
  },
  'MODEL.GATED': {
    exit: 3,
    title: 'the terms of the repository have not been accepted',
    explain:
      'The hub lists the repository, but gives its files only to accounts that have accepted its terms. Open its page and accept the terms there; some authors approve each account by hand. Then name a token of that account: `token: { env: HF_TOKEN }` below `model.source`. Files that are already on the host are used as they are.',
  },
  'MODEL.IN_USE': {
    exit: 3,
    title: 'a running server has another version of the model open',
    explain:
      'The file at `model.path` is not the one that the source selects, and a running server uses it. converge does not replace it under that server: mapped files must not change, and a restart could load half of each. Give `model.path` another name. `converge fetch` then puts the new files beside the old ones, and the server uses them from its next restart. After that, `converge prune` removes the old ones.',
  },
  'MODEL.NO_SPACE': {
    exit: 3,
    title: 'the model does not fit on the disk',
    explain:
      'The volume of `model.path` has less free space than the rest of the download needs, plus 5 %. Or something else filled the disk during the download. The data fetched so far counts and is kept. Free some space, or put `model.path` on another volume.',
  },
  'MODEL.NO_FETCHER': {
    exit: 3,
    title: 'the host has no program to fetch with',
    explain:
      'A download needs curl on the host, and one of sha256sum, shasum and openssl. The wget of BusyBox also works, but only without a token, which it would show in the list of processes.',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>
