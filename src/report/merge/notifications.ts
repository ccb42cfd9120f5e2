import type { NotificationResult } from '../../model/notification.ts'

interface Told {
  readonly notifications?: readonly NotificationResult[]
}

/** Everybody who was told by any of the runs. */
export function notificationsOf(documents: readonly Told[]): Told {
  const notifications = documents.flatMap((one) => one.notifications ?? [])
  return notifications.length === 0 ? {} : { notifications }
}
