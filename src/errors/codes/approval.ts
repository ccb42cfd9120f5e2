import type { CatalogueEntry } from './entry.ts'

export const approvalCodes = {
  'USAGE.APPROVAL_CODE': {
    exit: 64,
    title: 'an approval names a code that no rule has',
    explain:
      'An approval overrules a refusal by the code that the refusal shows. No rule has this code, so the approval would overrule nothing. Run `converge explain` to list all codes.',
  },
  'USAGE.APPROVAL_FORBIDDEN': {
    exit: 64,
    title: 'this refusal cannot be overruled',
    explain:
      'Some refusals prevent what would certainly fail or do harm: a reserved port, a missing model, an unmanaged process. No approval overrules them. Nothing was changed. Remove the cause of the refusal.',
  },
  'USAGE.APPROVAL_UNUSED': {
    exit: 64,
    title: 'an approval matches nothing',
    explain:
      'An approval on the command line (`--allow`) must match a refusal of this very plan. Otherwise it is misspelt, or approves in advance something that has not been reviewed. Nothing was changed. Omit it, or correct its code, service and host. An approval in a playbook may match nothing yet, but must name a service that its play selects.',
  },
  'USAGE.APPROVAL_EXPIRED': {
    exit: 64,
    title: 'an approval has expired',
    explain:
      'An approval in the playbook is valid until the date it names. That date has passed, so it overrules nothing. converge reports it instead of ignoring it, because old approvals are easily overlooked. Nothing was changed. Review the refusal as it is now. Then give the approval a new date, or remove it.',
  },
} as const satisfies Record<string, CatalogueEntry>
