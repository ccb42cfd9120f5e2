import type { CatalogueEntry } from './entry.ts'

export const fetchCodes = {
  'FETCH.TOKEN': {
    exit: 65,
    title: 'the token for the hub is not one',
    explain:
      'What `model.source.token` refers to is empty or holds characters that no token has: blanks, line breaks, letters beyond ASCII. It was sent nowhere.',
  },
  'FETCH.NOT_STARTED': {
    exit: 1,
    title: 'the download could not be started',
    explain:
      'A download runs on its host in a process of its own, which outlives the connection. That process could not be started: its folder (`fetch` in `converge_dir`) cannot be written, or the host ends whatever a login leaves running (`KillUserProcesses` of systemd-logind; then set `ansible_become`, or run `loginctl enable-linger` there once). Nothing was fetched.',
  },
  'FETCH.NOT_STOPPED': {
    exit: 1,
    title: 'the download may still be running',
    explain:
      'The process of the download was asked to end and then made to end, and still seems to be there, or the connection broke meanwhile. What has arrived is kept in any case. `converge fetch status` shows whether it runs.',
  },
  'FETCH.FILES': {
    exit: 3,
    title: 'the source names no model',
    explain:
      'What `model.source` selects at that commit is not one model: no file matches, several models match, a part is missing, or its first file is not called as `model.path` ends. Files of Kind A are put beside `model.path` under their own names; those of Kind B below it.',
  },
  'FETCH.SOURCES': {
    exit: 3,
    title: 'two services load one path from different sources',
    explain:
      'Services of one host that load the same `model.path` share one download, so their `model.source` has to be the same. Give each model its own path.',
  },
  'FETCH.UNWRITABLE': {
    exit: 5,
    title: 'the files of the model cannot be written',
    explain:
      'The folder of `model.path` does not exist and cannot be made, or the account that converge uses may not write there. Nothing that was there was changed.',
  },
  'FETCH.UNREADABLE': {
    exit: 5,
    title: 'a file could not be hashed',
    explain:
      'A file counts only once it was hashed and its digest is right. Hashing failed three times: the disk could not be read to the end of the file, the hashing program was killed, the file changed meanwhile, or the volume of `converge_dir` is full. Nothing that has arrived was discarded. `converge fetch log` shows what happened.',
  },
  'FETCH.BUSY': {
    exit: 5,
    title: 'somebody else fetches the same file',
    explain:
      'Beside the file lies a lock, `NAME.lock`: another job writes it, from another folder of converge or from another machine that shares the volume. Where that machine or process is gone for good, remove the lock.',
  },
  'FETCH.LOST': {
    exit: 4,
    title: 'the host was lost sight of while it fetches',
    explain:
      'The host could not be looked at for a quarter of an hour while it was followed. The download needs no connection and goes on there, unless the host is down. `converge fetch status` shows how far it is, and `converge fetch` follows or resumes it.',
  },
  'FETCH.NO_NEIGHBOUR': {
    exit: 3,
    title: 'no other host of the fleet has the file',
    explain:
      'The source says `from: fleet`, so the file has to come from another host of the fleet, and the hub is not asked for it. A host has it where a digest of it was taken there (by `converge fetch`) and the file was not touched since. Either no host that wants a model of the same repository has it, or those that do could not be reached, or their file changed. What has arrived is kept.',
  },
  'FETCH.NEEDS_CONTROLLER': {
    exit: 3,
    title: 'a copy from another host has to be followed',
    explain:
      'The source says `from: fleet`, so the file comes from another host through the machine that converge runs on, which has to stay for that. `--detach` does not, nor does a run without a terminal unless it is given `--follow`. With `from: auto` the hub is asked in that case.',
  },
  'MODEL.GATED': {
    exit: 3,
    title: 'the terms of the repository have not been accepted',
    explain:
      'The hub lists the repository, but gives its files only to accounts that have accepted its terms. Open its page, accept them there (some authors approve each account by hand), and name a token of that account: `token: { env: HF_TOKEN }` below `model.source`. Files that are already on the host are used as they are.',
  },
  'MODEL.IN_USE': {
    exit: 3,
    title: 'a running server has another version of the model open',
    explain:
      'The file at `model.path` is not the one that the source selects, and a running server uses it. It is not replaced under that server: mapped files must not change, and a restart could load half of each. Give `model.path` another name: `converge fetch` puts the new files beside the old ones, and the server is switched to them at its restart. `converge prune` removes the old ones after that.',
  },
  'MODEL.NO_SPACE': {
    exit: 3,
    title: 'the model does not fit on the disk',
    explain:
      'What is still to be fetched, and 5 % of it to spare, is more than the volume of `model.path` has free; or somebody filled the disk while it was fetched. What has arrived counts and is kept. Free space, or put `model.path` on another volume.',
  },
  'MODEL.NO_FETCHER': {
    exit: 3,
    title: 'the host has nothing to fetch with',
    explain:
      'A download needs curl on the host, or the wget of BusyBox where no token is needed (it would show one in the list of processes), and one of sha256sum, shasum and openssl.',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>
