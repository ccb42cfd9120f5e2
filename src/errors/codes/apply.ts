import type { CatalogueEntry } from './entry.ts'

export const applyCodes = {
  'APPLY.STALE': {
    exit: 5,
    title: 'the host changed after the plan was made',
    explain:
      'Every step is sent together with what it relies on: the digest of the file it replaces, the process it may stop, the port that must be free. The host tests these in the same command that acts. One of them no longer held, so somebody or something changed the host in between, and the step did nothing. Make a new plan and look at what it says now.',
  },
  'APPLY.LOCKED': {
    exit: 8,
    title: 'another run holds the lock on the host',
    explain:
      'Only one run at a time may change a host. The lock is a folder on the host with the name of its holder in it; its holder touches it every half minute. A lock whose holder has been silent for two minutes by the clock of the host is taken over; at once where its run was one of this machine whose process is proved to be gone, and the host shows that nothing of it runs any more. With --lock-timeout 5m apply waits for it, and then looks at the host and plans again, so that nothing is done on the strength of what was seen before. A lock that nobody will give back any more is taken away with `converge unlock HOST`.',
  },
  'APPLY.LOCK_ALIVE': {
    exit: 8,
    title: 'the lock belongs to a run that may be at work',
    explain:
      '`converge unlock HOST` takes the lock of a host away from a run that will not give it back any more. This one gave a sign of life in the last two minutes, so its run may be at work right now: without its lock it stops before its next step, and the step in flight is ended. One whose process was on this machine and is proved to be gone counts as dead at once. Wait two minutes and see whether it is silent, or look at the machine and the process that are named. `--living` says that it is to be taken away all the same.',
  },
  'APPLY.LOCK_CHANGED': {
    exit: 8,
    title: 'the lock changed hands while it was looked at',
    explain:
      '`converge unlock HOST` takes away exactly the lock that it showed. Between showing and taking away another run took it over, or it is given back at this moment, so nothing was done.',
  },
  'APPLY.LOCK_LOST': {
    exit: 8,
    title: 'the lock was lost while the host was being changed',
    explain:
      'Each script that changes something first tests that the lock on the host is still ours. It was not: this run was silent for too long (a laptop asleep, a connection that hung) and another run took the lock over, or somebody removed it. From then on nothing was done on this host. See what the other run did, then plan again.',
  },
  'APPLY.LOCK_UNUSABLE': {
    exit: 5,
    title: 'the lock could not be made on the host',
    explain:
      'The lock is a folder below the folder where converge keeps its files on the host. It could not be made: the disk is full or read-only, the account may not write there, a file is in its way, or others on the host can change a folder above it. Nothing was changed on this host.',
  },
  'APPLY.STEP_FAILED': {
    exit: 5,
    title: 'a step failed on the host',
    explain:
      'A command that was sent ended with an error. What it printed stands in the message. Steps before it were done; where a rollback is safe, they were undone, and the report says how the service was left. Other services go on where a look at the host says that this is still safe.',
  },
  'APPLY.TAKEN_BACK': {
    exit: 5,
    title: 'an action was done, and taken back because what it was part of could not be finished',
    explain:
      "Where two servers want each other's place (their ports, say), one of them is taken down for a while, and started again when the other has moved. Something failed in between. What was up before must not stay down because of that: what had been done for it is undone in the opposite order, and the old server runs again as it did. The message says what failed, and whether all of it could be taken back. A Kind B that was restarted in between is not restarted once more for that; then the other one stays down, and the next plan says what it would take.",
  },
  'APPLY.NOT_IN_TIME': {
    exit: 5,
    title: 'the host did not reach the expected state in time',
    explain:
      'After a step, converge waits until the host says that it took effect. It did not within its time. The message says what was waited for and what the host answered last.',
  },
  'APPLY.IN_DOUBT': {
    exit: 5,
    title: 'whether a step was done is not known',
    explain:
      'A step was sent and no answer came: the connection broke, the command ran out of time, it was ended by a signal or a second interrupt, or the host ended it because the lock was lost while it ran. It may have been done. converge does not guess: the next plan looks at the host and starts from what is there.',
  },
  'APPLY.NOT_REACHED': {
    exit: 5,
    title: 'all steps were done, and still the host is not as planned',
    explain:
      'After the steps of an action, converge looks whether the host is as it should be now. Every step reported success, yet it is not. The message says which sentence does not hold.',
  },
  'APPLY.FILE_NOT_WRITTEN': {
    exit: 5,
    title: 'a file could not be written; nothing was changed',
    explain:
      'Files are written beside their place and then renamed, so that there is never half a file. Writing, or setting owner and mode, failed before the rename: the old file is untouched and the temporary one is gone. A symbolic link or anything else than a regular file in its place is left alone as well.',
  },
  'APPLY.FILE_REJECTED': {
    exit: 5,
    title: 'the program that reads the file rejected it; nothing was changed',
    explain:
      'Before a definition is put in its place, the program that will read it is asked about it (systemd-analyze, docker compose, plutil). It found it wrong. The old file is untouched. If the definition is what you want, this is a version of that program which does not know it.',
  },
  'APPLY.NOT_RECORDED': {
    exit: 5,
    title: 'the record of what was applied could not be written',
    explain:
      'After a service was applied and proved, a note of it is left on the host; `converge drift` compares with it. The service works, but the note could not be written, so that the next comparison cannot tell who changed what.',
  },
  'APPLY.NOT_JOURNALLED': {
    exit: 5,
    title: 'a step was not done, because it could not be written down',
    explain:
      'Before a step does anything, what it will do is written into the journal of the run on the controlling machine, and into the log that converge keeps on the host (`audit.log` in its folder there), so that after a crash nobody has to guess. One of them could not be written, mostly because a disk is full. The step did nothing and no further one was sent to the host; what had to be put back was put back all the same. Make room, then `converge resume`.',
  },
  'APPLY.NOT_PROVED': {
    exit: 6,
    title: 'a server that took the place of another does not work',
    explain:
      'A Kind A that ran was replaced, everything was done, and the new server did not pass its proof: it ended, did not get ready in time (ready_timeout), or gave wrong answers. The one before it worked, so its definition and its key are put back, byte for byte, and it is started again; the report says whether that was possible. This holds also for a definition that somebody else had written. A Kind B that was replaced is not started again to undo that, and a server that was new, or only restarted, stays as it is.',
  },
  'APPLY.NOT_CONFIRMED': {
    exit: 5,
    title: 'a server that took the place of another was not confirmed to its host',
    explain:
      'Before a Kind A that runs is replaced, its rollback is left on the host: where nobody confirms the new server, the host puts definition, key and the server before it back by itself, three minutes after the last sign of life of the run. A run confirms it once it is proved, over a new connection, which shows that the host can still be reached. Here that did not come about: there was no new connection, the run lost its lock, or it had been silent for so long (a laptop asleep, a network that was gone) that the host has acted. The message says which, and the next plan what is there.',
  },
  'APPLY.STILL_BUSY': {
    exit: 5,
    title: 'a server was in the middle of a request until the time to wait was up',
    explain:
      'With `--wait-idle`, what would interrupt a server waits until it works on no request. There was no such moment within the time, so that nothing was done to this server: it goes on serving as it was, files that had been written for it are back, and what depends on it was not done either. Give it more time, choose a quieter hour, or consent to SERVICE.BUSY, which cuts the requests off. A look is taken about once a second: a server whose next request follows at once may look busy all the time.',
  },
  'APPLY.HOST_NOT_READ': {
    exit: 5,
    title: 'the host could not be read again before acting',
    explain:
      'After taking the lock, converge reads the host once more and plans again; only what both plans agree on is done. The second look failed, so nothing was done.',
  },
  'APPLY.LIMIT_REACHED': {
    exit: 5,
    title: 'too many hosts failed; the rest was left alone',
    explain:
      'A play names the share of hosts that may fail (max_fail_percentage; hosts that cannot be reached count). More failed, so no further host was started. Hosts that were being changed were finished.',
  },
  'APPLY.INTERRUPTED': {
    exit: 130,
    title: 'the run was interrupted',
    explain:
      'After the first interrupt the step in flight is finished and no new action starts; what would be left half done (files that no server has read yet, a server that was stopped for a while) is undone, and the locks are given back. A second one ends what is in flight on the host as well, which leaves it in doubt, and nothing is put back. The report names what was not done and not proved, and which service is left down or in doubt. `converge resume` looks what runs and does the rest.',
  },
} as const satisfies Record<string, CatalogueEntry>
