import type { CatalogueEntry } from './entry.ts'

export const stateCodes = {
  'STATE.UNUSABLE': {
    exit: 64,
    title: 'the folder for journals and locks on this machine cannot be used',
    explain:
      'Before anything is changed on a host, converge writes down on the controlling machine what it is about to do, so that a run that dies can be taken up again, and takes a lock there, so that two runs of one inventory do not meet. The folder is `$CONVERGE_STATE_DIR`, else the usual place of the system (`~/.local/state/converge`). It could not be made, belongs to somebody else, may be written by others, or its disk is full. Nothing was done. `plan`, `facts`, `status` and `verify` do not need it.',
  },
  'CONTROLLER.LOCKED': {
    exit: 8,
    title: 'another run of this inventory is at work on this machine',
    explain:
      'While `apply` or `resume` is at work, from before it looks at the hosts until its report, no second one about any of the same hosts of the inventory may be on the same machine: it would decide on what the first is changing. Runs about different hosts (`--limit`) do not meet. The message says who it is. A run that waits for its question to be answered holds the lock as well. The lock of one that was killed is free at once where its process is proved to be gone, else after ten seconds, which the next run waits for by itself. Verbs that only look take no lock.',
  },
  'CONTROLLER.LOCK_LOST': {
    exit: 8,
    title: 'the lock of the inventory on this machine was lost during the run',
    explain:
      'A run renews its lock every few seconds. This one did not for too long, because it was stopped or its machine was asleep, and another run about the same hosts took the lock; or somebody removed it. The step in flight was finished and nothing more was begun. The locks on the hosts were not affected: each step tests that before it acts. See what the other run did, then `converge resume`.',
  },
  'HISTORY.NO_RUN': {
    exit: 64,
    title: 'no report of such a run is kept on this machine',
    explain:
      'Every `plan`, `apply`, `resume`, `verify` and `drift` leaves its report on the machine it ran on, below `$CONVERGE_STATE_DIR`, else in the usual place of the system (`~/.local/state/converge/history`). The newest 200 stay, 64 MiB of them at most. Reports of runs on other machines are there, and so are runs of which nothing but a journal is left that cannot be read. `converge history` lists what there is.',
  },
  'REPORT.NO_SHARDS': {
    exit: 65,
    title: 'reports that are to be put together are no parts of one whole',
    explain:
      'A fleet can be looked at in parts, by several jobs at a time, each with `--limit` and hosts of its own and `--format json=FILE`. `converge report merge` makes one report of what they wrote: of the same verb, of other hosts each, of the same inventory. The message says what does not fit. Two looks at the same host are two answers, and nobody can say which of them counts.',
  },
  'REPORT.NOT_LOOKED_AT': {
    exit: 4,
    title: 'a host of the inventory is in none of the reports that were put together',
    explain:
      'With `-i`, `converge report merge` knows which hosts there are. One that no part is about was looked at by nobody: the job that should have done it failed before it had a result, left no file, or its `--limit` leaves the host out. It is told as a host that could not be reached, for as much is known of it.',
  },
  'REPORT.INVALID': {
    exit: 65,
    title: 'a file that is to be put together with others is no report of converge',
    explain:
      'What `converge report merge` reads is what `--json` prints of `plan`, `drift`, `apply` and `verify`, or a file of the history. The message names the file and the first place in it that is not as its schema says (`schemas/` publishes them). Text, SARIF, JUnit and the others cannot be read back.',
  },
  'HISTORY.INVALID': {
    exit: 65,
    title: 'a file of the history is not a report of converge',
    explain:
      'What `converge report` is to tell once more has to be as converge wrote it. The file was edited, cut off or replaced by something that is no file, or another version of converge wrote it; the message names the file and the first place in it that is not as its schema says (`schemas/` publishes them). Nothing else depends on the file: it may be deleted.',
  },
} as const satisfies Record<string, CatalogueEntry>
