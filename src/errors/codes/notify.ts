import type { CatalogueEntry } from './entry.ts'

export const notifyCodes = {
  'NOTIFY.FAILED': {
    exit: 5,
    title: 'somebody who is to be told of changes could not be told',
    explain:
      'An entry of `fleet.notify` could not be told: its webhook did not answer, or not with a status from 200 to 299, its command did not end with 0, or where its URL is kept could not be read. The message says which, and never the URL. How `drift`, `plan`, `apply` or `verify` ends is not changed by it, because what they found is true all the same; what was not told is remembered as not told, and the next run tries again. `converge notify test` sends a message that says it is a test.',
  },
  'NOTIFY.NOBODY': {
    exit: 64,
    title: 'nobody is to be told of changes',
    explain:
      'The inventory has no `fleet.notify`, or no entry of the number that was named. An entry says who is told when what is found changes: `fleet: { notify: [{ webhook: { env: SLACK_URL }, format: slack }] }` in group_vars/all.yaml. docs/notifications.md describes them.',
  },
} as const satisfies Record<string, CatalogueEntry>
