import type { CatalogueEntry } from './entry.ts'

export const savedPlanCodes = {
  'PLAN.STALE': {
    exit: 7,
    title: 'the saved plan no longer holds',
    explain:
      'A saved plan is done as it was shown, or less of it; never more and never anything else. The hosts were looked at again and planned again, and now something would be done that the saved plan does not have, or that relies on something else: a process, a container, a definition, a model file, a boot that is not the one that was looked at. The message lists what differs. Nothing was done. Make a new plan and look at it.',
  },
  'PLAN.OTHER_INPUT': {
    exit: 7,
    title: 'the inventory or the playbook is not the one the plan was made from',
    explain:
      'A saved plan carries the digest of the inventory, and of the playbook where there was one. What is there now says something else, so the plan would do what nobody asks for any more. Nothing was looked at or done. Make a new plan. An inventory that only looks different (comments, the order of keys) has the same digest.',
  },
  'PLAN.OTHER_VERSION': {
    exit: 7,
    title: 'the plan was made by another version of converge',
    explain:
      'Another version may have other rules and other steps for the same plan, so what was shown is not what would be done. Nothing was looked at or done. Make a new plan with this version, or apply it with the one that made it.',
  },
  'PLAN.USED': {
    exit: 7,
    title: 'the plan was applied already',
    explain:
      'A saved plan is applied once: people agreed to do it, not to do it whenever the hosts happen to look the same again. Both the controlling machine and each host remember it. Nothing was done. What was not finished is taken up by `converge resume`; for anything else make a new plan.',
  },
  'PLAN.DAMAGED': {
    exit: 7,
    title: 'the saved plan was changed after it was written',
    explain:
      'The file does not match the digest that it carries, or is not formatted as `converge plan --out` writes it: it was edited, truncated, or its line endings were converted. Do not edit a saved plan; make a new one from the inventory. No host was contacted.',
  },
  'PLAN.INVALID': {
    exit: 65,
    title: 'the file is no saved plan',
    explain:
      '`converge apply FILE` takes a playbook or a plan that `converge plan --out FILE` has written. This one begins as JSON and is no such plan: it was cut off, or is another document (`plan --json` prints a plan to read, without what is needed to apply it). Nothing was done.',
  },
  'PLAN.TOO_LARGE': {
    exit: 65,
    title: 'the plan is too large for a file',
    explain:
      '`converge plan --out FILE` writes, and `converge apply FILE` reads, plans of up to 256 MiB: some thousand services. Save plans of fewer hosts or services at once, with `--limit` or `--service`. Nothing was done.',
  },
  'PLAN.KEY_IS_A_WORD': {
    exit: 65,
    title: 'an API key is a word that the plan needs',
    explain:
      'A saved plan contains no keys: each occurrence is replaced by ***. Here a key equals a word that the plan cannot do without, such as a host name, part of a path or the kind of an action. The plan was shown, but not saved. A key that is a plain word can be guessed; give the service a random one.',
  },
  'USAGE.SAVED_PLAN': {
    exit: 64,
    title: 'an option does not go with a saved plan',
    explain:
      'A saved plan says by itself which hosts and services it is about and what leave was given. To select others or to allow more would make it another plan than the one that was shown. Make a new plan with these options.',
  },
} as const satisfies Record<string, CatalogueEntry>
