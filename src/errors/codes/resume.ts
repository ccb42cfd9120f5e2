import type { CatalogueEntry } from './entry.ts'

export const resumeCodes = {
  'RESUME.NO_RUN': {
    exit: 64,
    title: 'no such run',
    explain:
      '`converge resume` finishes a run of this inventory; `--limit @failed` and `--limit @unreached` take hosts from the last one. Both read the journals that `apply` writes on this machine, in `~/.local/state/converge/runs` or below `$CONVERGE_STATE_DIR`. None of them matches. Either this account has applied nothing from this path on this machine, or it was so long ago that the journal was deleted. Each machine has its own runs. What a run of another machine left on a host is in the plan of every machine (`HOST.IN_DOUBT`).',
  },
  'RESUME.SEVERAL': {
    exit: 64,
    title: 'several shards of the run are unfinished',
    explain:
      'A resume finishes one process of a run, within the plan that was approved for it. Several shards of this run were interrupted on this machine. Nothing was done. Resume each by its own id, which the message lists.',
  },
  'RESUME.OTHER_INPUT': {
    exit: 7,
    title: 'the inventory or playbook changed since the run began',
    explain:
      '`converge resume` does what is left of an approved run. The inventory or playbook has changed since, so the rest of that run is no longer what it asks for. Nothing was changed. Changes of comments, or of notation with the same meaning, do not count. Make a new plan for the hosts that the run did not finish: `converge plan --limit @failed,@unreached`.',
  },
} as const satisfies Record<string, CatalogueEntry>
