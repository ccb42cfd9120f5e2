import type { NotificationResult } from '../../model/notification.ts'

interface WithNotifications {
  readonly notifications?: readonly NotificationResult[]
}

/** The notifications of all runs. */
export function notificationsOf(documents: readonly WithNotifications[]): WithNotifications {
  const notifications = documents.flatMap((one) => one.notifications ?? [])
  return notifications.length === 0 ? {} : { notifications }
}
