import type { CatalogueEntry } from './entry.ts'

export const stateCodes = {
  'STATE.UNUSABLE': {
    exit: 64,
    title: 'the folder for journals and locks on this machine cannot be used',
    explain:
      'Before converge changes a host, it writes a journal and takes a lock on the controlling machine. The journal lets a later run finish an interrupted one. The lock keeps two runs of one inventory apart. The folder is `$CONVERGE_STATE_DIR`, or else the usual place of the system (`~/.local/state/converge`). It could not be created, belongs to another user, may be written by others, or its disk is full. Nothing was changed. `plan`, `facts`, `status` and `verify` do not need it.',
  },
  'CONTROLLER.LOCKED': {
    exit: 8,
    title: 'another run of this inventory is active on this machine',
    explain:
      '`apply` and `resume` hold a lock from before they gather facts until their report. Meanwhile, no second such run on this machine may include any of the same hosts of the inventory: it would decide on what the first is changing. Runs of different hosts (`--limit`) do not block each other. A run that waits for an answer to its question also holds the lock. The lock of a killed run is free at once if its process is known to be gone, otherwise after ten seconds. The next run waits for that by itself. Read-only verbs take no lock. The message names the other run.',
  },
  'CONTROLLER.LOCK_LOST': {
    exit: 8,
    title: 'the lock of the inventory on this machine was lost during the run',
    explain:
      'A run renews its lock every few seconds. This one did not for too long, because it was stopped or its machine was asleep. Another run of the same hosts then took the lock. Or the lock was removed by hand. converge finished the step in flight and started nothing more. The locks on the hosts were not affected: each step tests its own before it acts. Check what the other run did, then run `converge resume`.',
  },
  'HISTORY.NO_RUN': {
    exit: 64,
    title: 'no report of such a run on this machine',
    explain:
      'Every `plan`, `apply`, `resume`, `verify` and `drift` stores its report on the machine that runs it. The folder is below `$CONVERGE_STATE_DIR`, or else in the usual place of the system (`~/.local/state/converge/history`). converge keeps the newest 200, and 64 MiB of them at most. Reports of runs on other machines are on those machines. A run has no report if it is still active or was killed, or if only an unreadable journal of it is left. `converge history` lists the runs on this machine.',
  },
  'REPORT.NO_SHARDS': {
    exit: 65,
    title: 'reports that cannot be merged',
    explain:
      'Several jobs can each check a part of a fleet, each with its own hosts (`--limit`) and `--format json=FILE`. `converge report merge` makes one report of their files. The parts must be of the same verb and the same inventory, and no host may be in two of them. Shards must be of one run: the same number of shards, the same selected hosts, the same `--run-id`; with a run id, a shard that was run again replaces its earlier document. Two results for one host could contradict each other. The message says what does not match.',
  },
  'REPORT.NOT_LOOKED_AT': {
    exit: 4,
    title: 'a host of the inventory is in none of the merged reports',
    explain:
      'With `-i`, `converge report merge` knows all hosts of the inventory. No part contains this host. Its job failed before it had a result, left no file, or its `--limit` excludes the host. The state of the host is unknown, so it is reported as unreachable.',
  },
  'REPORT.SHARD_MISSING': {
    exit: 4,
    title: 'a shard of the run is in none of the merged reports',
    explain:
      'Each document of a shard says how many shards and hosts its run has. `converge report merge` got none of this shard: its job failed before it had a result, was killed, or its file was not given. The state of its hosts is unknown, so they count as unreachable. With `-i` each of them is named. Run the shard again with the same `--shard` and `--run-id`, then merge again.',
  },
  'REPORT.INVALID': {
    exit: 65,
    title: 'a file to merge is not a report of converge',
    explain:
      '`converge report merge` reads what `plan`, `drift`, `apply` and `verify` print with `--json`, or a file of the history. The message names the file and the first place that does not match its schema (published in `schemas/`). Text, SARIF, JUnit and other formats cannot be read back.',
  },
  'HISTORY.INVALID': {
    exit: 65,
    title: 'a file of the history is not a report of converge',
    explain:
      '`converge report` can show a report again only as converge wrote it. The file was edited, truncated, replaced by something that is not a file, or written by another version of converge. The message names the file and the first place that does not match its schema (published in `schemas/`). Nothing else depends on the file, so you may delete it.',
  },
} as const satisfies Record<string, CatalogueEntry>
