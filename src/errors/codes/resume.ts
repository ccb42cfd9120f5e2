import type { CatalogueEntry } from './entry.ts'

export const resumeCodes = {
  'RESUME.NO_RUN': {
    exit: 64,
    title: 'there is no such run',
    explain:
      '`converge resume` goes on with a run of this inventory, and `--limit @failed` and `--limit @unreached` take hosts from the last one. Both read the journals that `apply` leaves on this machine, in `~/.local/state/converge/runs` or below `$CONVERGE_STATE_DIR`. None of them fits: nothing was applied from this machine, by this account, from this path, or it was so long ago that its journal is gone. On another machine the runs are other ones; what they left on a host is in the plan of every machine (`HOST.IN_DOUBT`).',
  },
  'RESUME.OTHER_INPUT': {
    exit: 7,
    title: 'inventory or playbook changed since the run began',
    explain:
      '`converge resume` does what a run was to do and did not come to do, which somebody approved. Inventory or playbook say something else by now, so what is left of that run is not what is wanted, and nothing was done. A change of words that mean the same, or of remarks, is none. Make a plan of what is wanted now, of the hosts that the run did not finish: `converge plan --limit @failed,@unreached`.',
  },
} as const satisfies Record<string, CatalogueEntry>
