import type { CatalogueEntry } from './entry.ts'

export const consentCodes = {
  'USAGE.CONSENT_CODE': {
    exit: 64,
    title: 'a consent names a code that no rule has',
    explain:
      'Consents overrule refusals, by the code that the refusal shows. This code belongs to no rule, so nothing would be overruled. `converge explain` lists all codes.',
  },
  'USAGE.CONSENT_FORBIDDEN': {
    exit: 64,
    title: 'this refusal cannot be overruled',
    explain:
      'Some refusals guard against what would certainly fail or do harm, whatever anybody says: a reserved port, a missing model, a process that is not ours. No consent overrules them; their cause has to go. Nothing was done.',
  },
  'USAGE.CONSENT_UNUSED': {
    exit: 64,
    title: 'a consent matches nothing',
    explain:
      'What is allowed on the command line has to be refused in this very plan. Otherwise it is a misspelling, or leave given in advance for something that nobody has looked at yet. Nothing was done. Leave it out, or correct code, service and host. A consent in a playbook may wait for its day, but it has to name a service that its play selects.',
  },
  'USAGE.CONSENT_EXPIRED': {
    exit: 64,
    title: 'a consent has run out',
    explain:
      'A consent in the playbook holds until the date it names. That date has passed, so it overrules nothing any more, and it is not passed over in silence either: leave that lies about is leave that nobody remembers giving. Nothing was done. Look at the refusal as it is now; give new leave with a new date, or take the consent out.',
  },
} as const satisfies Record<string, CatalogueEntry>
