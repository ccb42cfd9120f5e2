import type { CatalogueEntry } from './entry.ts'

export const notifyCodes = {
  'NOTIFY.FAILED': {
    exit: 5,
    title: 'a notification could not be sent',
    explain:
      'An entry of `fleet.notify` could not be notified. Its webhook did not answer, or not with a status from 200 to 299; its command did not exit with 0; or the secret with its URL could not be read. The message says which, and never contains the URL. The exit code of `drift`, `plan`, `apply` or `verify` does not change, because what they found is still true. converge records the notification as not sent, and the next run tries again. `converge notify test` sends a test notification, marked as such.',
  },
  'NOTIFY.NOBODY': {
    exit: 64,
    title: 'no receiver of notifications',
    explain:
      'The inventory has no `fleet.notify`, or no entry with the given number. An entry names a receiver, which is notified when findings change: `fleet: { notify: [{ webhook: { env: SLACK_URL }, format: slack }] }` in group_vars/all.yaml. docs/notifications.md describes the entries.',
  },
} as const satisfies Record<string, CatalogueEntry>
