import type { CatalogueEntry } from './entry.ts'

export const savedPlanCodes = {
  'PLAN.STALE': {
    exit: 7,
    title: 'the saved plan is no longer valid',
    explain:
      'converge makes the changes of a saved plan and no others; it skips those that are no longer needed. It gathered the facts again and planned again. The new plan contains something that the saved plan does not have, or that relies on something else: another process, container, definition, model file or boot than before. The message lists the differences. Nothing was changed. Make a new plan and review it.',
  },
  'PLAN.OTHER_INPUT': {
    exit: 7,
    title: 'the plan was made from another inventory or playbook',
    explain:
      'A saved plan contains the digest of its inventory, and of its playbook if there was one. The current files say something else, so the plan is no longer what they ask for. No host was contacted and nothing was changed. Make a new plan. Changes of form only (comments, the order of keys) do not change the digest.',
  },
  'PLAN.OTHER_VERSION': {
    exit: 7,
    title: 'the plan was made by another version of converge',
    explain:
      'Another version may have other rules and other steps for the same plan, so converge could do something else than was shown. No host was contacted and nothing was changed. Make a new plan with this version, or apply this one with the version that made it.',
  },
  'PLAN.USED': {
    exit: 7,
    title: 'the plan was already applied',
    explain:
      'A saved plan is applied once: it was approved once, not for every time the hosts look the same again. Both the controlling machine and each host record it. Nothing was changed. To finish an interrupted run, use `converge resume`; for anything else make a new plan.',
  },
  'PLAN.DAMAGED': {
    exit: 7,
    title: 'the saved plan was changed after it was written',
    explain:
      'The file does not match the digest that it carries, or is not formatted as `converge plan --out` writes it: it was edited, truncated, or its line endings were converted. Do not edit a saved plan; make a new one from the inventory. No host was contacted.',
  },
  'PLAN.INVALID': {
    exit: 65,
    title: 'the file is not a saved plan',
    explain:
      '`converge apply FILE` takes a playbook, or a plan that `converge plan --out FILE` wrote. This file begins as JSON but is not such a plan. It was truncated, or is another document: `plan --json` prints a plan to read, without what is needed to apply it. Nothing was changed.',
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
    title: 'an option that cannot be used with a saved plan',
    explain:
      'A saved plan records its hosts and services, and which approvals were given. Selecting others or approving more would make it another plan than the one that was shown. Make a new plan with these options.',
  },
} as const satisfies Record<string, CatalogueEntry>
