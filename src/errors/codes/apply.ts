import type { CatalogueEntry } from './entry.ts'

export const applyCodes = {
  'APPLY.STALE': {
    exit: 5,
    title: 'the host changed after the plan was made',
    explain:
      'Each step is sent with its preconditions: the digest of the file it replaces, the process it may stop, the port that must be free. The host tests them in the same command that acts. One of them failed: the host was changed in between. The step did nothing. Make a new plan and review it.',
  },
  'APPLY.LOCKED': {
    exit: 8,
    title: 'another run holds the lock on the host',
    explain:
      'Only one run at a time may change a host. The lock is a folder on the host that contains the name of its holder. The holder renews it every 30 seconds. converge takes a lock over when its holder has been silent for two minutes by the clock of the host. It does so at once for a run of this machine whose process is known to be gone, if the host shows that nothing of that run is active. With --lock-timeout 5m, apply waits for the lock, then gathers facts and plans again, so it never acts on old facts. To remove an abandoned lock, run `converge unlock HOST`.',
  },
  'APPLY.LOCK_ALIVE': {
    exit: 8,
    title: 'the lock belongs to a run that may still be active',
    explain:
      '`converge unlock HOST` removes the lock of a run that no longer releases it. This run renewed its lock in the last two minutes, so it may be active now. Without its lock, a run stops before its next step, and the host ends the step in flight. A run of this machine whose process is known to be gone counts as dead at once. Wait two minutes and check whether the lock is still renewed, or check the machine and the process in the message. To remove the lock anyway, add `--living`.',
  },
  'APPLY.LOCK_CHANGED': {
    exit: 8,
    title: 'the lock changed hands before it was removed',
    explain:
      '`converge unlock HOST` removes exactly the lock that it showed. In the meantime another run took the lock over, or its holder is releasing it now. Nothing was changed.',
  },
  'APPLY.LOCK_LOST': {
    exit: 8,
    title: 'the lock was lost while the host was being changed',
    explain:
      'Each script that changes something first tests that this run still holds the lock on the host. It did not. Either this run was silent for too long and another run took the lock over, or the lock was removed by hand. A run is silent when a laptop sleeps or a connection stalls, for example. This run did nothing more on the host after that. Check what the other run did, then plan again.',
  },
  'APPLY.LOCK_UNUSABLE': {
    exit: 5,
    title: 'the lock could not be created on the host',
    explain:
      'The lock is a folder below the folder where converge keeps its files on the host. It could not be created. The disk is full or read-only, the account may not write there, or a file is in its place. Or other users of the host can change a parent folder. Nothing was changed on this host.',
  },
  'APPLY.STEP_FAILED': {
    exit: 5,
    title: 'a step failed on the host',
    explain:
      'A command that converge sent ended with an error; the message contains its output. Earlier steps were done. Where a rollback is safe, they were undone. The report says in which state the service was left. Other services continue if new facts of the host show that this is still safe.',
  },
  'APPLY.TAKEN_BACK': {
    exit: 5,
    title: 'an action had to be rolled back because a later one could not be finished',
    explain:
      "Where two servers need each other's place, such as their ports, converge stops one of them temporarily. It starts that server again when the other has moved. Something failed in between. A server that was up before must not stay down because of that. So converge undoes what it did, in reverse order, and the old server runs again as before. The message says what failed.",
  },
  'APPLY.ROLLBACK_FAILED': {
    exit: 5,
    title: 'an action could not be rolled back after a later one failed',
    explain:
      'As for APPLY.TAKEN_BACK, a later action failed, and this one was to be rolled back for it. The rollback failed, was interrupted, or is not safe: for that, converge does not restart a Kind B a second time. The server that was stopped temporarily stays down. The message says where the rollback stopped, and the next plan starts from the actual state of the host.',
  },
  'APPLY.NOT_IN_TIME': {
    exit: 5,
    title: 'the host did not reach the expected state in time',
    explain:
      'After a step, converge waits until the host reports that the step took effect. The host did not do so in time. The message says what converge waited for, and the last answer of the host.',
  },
  'APPLY.IN_DOUBT': {
    exit: 5,
    title: 'unknown whether a step was done',
    explain:
      'converge sent a step and received no answer. The connection broke, the command timed out, or a signal or a second interrupt ended it. Or the host ended it because the lock was lost while it ran. The step may have been done. converge does not guess: the next plan gathers facts and starts from the actual state of the host.',
  },
  'APPLY.NOT_REACHED': {
    exit: 5,
    title: 'all steps succeeded, but the host is not as planned',
    explain:
      'After the steps of an action, converge checks whether the host is as planned. Every step reported success, yet the host is not. The message names the condition that does not hold.',
  },
  'APPLY.FILE_NOT_WRITTEN': {
    exit: 5,
    title: 'a file could not be written; nothing was changed',
    explain:
      'converge writes a file beside its destination and then renames it, so the host never has half a file. Writing the file, or setting its owner and mode, failed before the rename. The old file is unchanged and the temporary file was removed. converge also does not replace a symbolic link, or anything else that is not a regular file.',
  },
  'APPLY.FILE_REJECTED': {
    exit: 5,
    title: 'the program that reads the file rejected it; nothing was changed',
    explain:
      'Before converge installs a definition, it has the program that will read it check it (systemd-analyze, docker compose, plutil). The program reported an error. The old file is unchanged. If the definition is what you want, this version of the program does not support it.',
  },
  'APPLY.NOT_RECORDED': {
    exit: 5,
    title: 'the record of what was applied could not be written',
    explain:
      'After a service was applied and tested, converge writes a record to the host. `converge drift` compares the host with that record. The service works, but the record could not be written. So who changed what is unknown in the next comparison.',
  },
  'APPLY.NOT_JOURNALLED': {
    exit: 5,
    title: 'a step was not done because it could not be journalled',
    explain:
      'Before each step, converge writes what the step will do into two files, so that its state is known after a crash. One is the journal of the run on the controlling machine; the other is the log on the host (`audit.log` in the folder of converge there). One of them could not be written, usually because a disk is full. The step did nothing, and no further step was sent to the host. Anything that had to be restored was still restored. Free some space, then run `converge resume`.',
  },
  'APPLY.NOT_PROVED': {
    exit: 6,
    title: 'a server that replaced another does not work',
    explain:
      'A running Kind A was replaced. All steps were done, but the new server did not pass its test. It ended, was not ready in time (ready_timeout), or gave wrong answers. The previous server worked, so converge restores its definition and its key, byte for byte, and starts it again. This also applies to a definition that converge did not write. The report says whether the rollback succeeded. converge does not start a replaced Kind B again to undo that. A server that is new, or was only restarted, stays as it is.',
  },
  'APPLY.NOT_CONFIRMED': {
    exit: 5,
    title: 'a server that replaced another was not confirmed',
    explain:
      'Before converge replaces a running Kind A, it leaves a rollback on the host. If no run confirms the new server, the host itself restores the definition, the key and the previous server. It does so three minutes after the last heartbeat of the run. A run confirms the server once it is tested, over a new connection, which shows that the host can still be reached. Here it could not: there was no new connection, the run lost its lock, or it was silent for so long that the host rolled back. A run is silent when a laptop sleeps or a network is down, for example. The message says which; the next plan shows the state of the host.',
  },
  'APPLY.STILL_BUSY': {
    exit: 5,
    title: 'a server was busy with requests until the waiting time was up',
    explain:
      'With `--wait-idle`, converge interrupts a server only when it is working on no request. The server had no such moment within the time. Nothing was changed on this server: it keeps serving, and files that had been written for it were restored. What depends on it was not done either. Allow more time, choose a quieter hour, or give an approval (`--allow`) for SERVICE.BUSY, which cuts the requests off. converge checks about once a second. A server whose next request follows at once may look busy all the time.',
  },
  'APPLY.HOST_NOT_READ': {
    exit: 5,
    title: 'no facts could be gathered from the host before acting',
    explain:
      'After taking the lock, converge gathers the facts of the host once more and plans again. It does only what both plans agree on. Gathering facts the second time failed. Nothing was changed.',
  },
  'APPLY.LIMIT_REACHED': {
    exit: 5,
    title: 'too many hosts failed; no further host was started',
    explain:
      'A play sets the share of hosts that may fail (max_fail_percentage; unreachable hosts count). More hosts failed, so converge started no further host. It finished the hosts that it was already changing.',
  },
  'APPLY.INTERRUPTED': {
    exit: 130,
    title: 'the run was interrupted',
    explain:
      'After the first interrupt, converge finishes the step in flight and starts no new action. It undoes what would be left half done: files that no server has read yet, and temporary stops of servers. Then it releases the locks. A second interrupt also ends the step in flight on the host: the outcome of that step is then unknown, and nothing is restored. The report names what was not done and not tested, and which service is down or in an unknown state. `converge resume` checks what is running and does the rest.',
  },
} as const satisfies Record<string, CatalogueEntry>
