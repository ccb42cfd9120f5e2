import type { Context } from '../context/context.ts'
import { deliverNotification, type Sender } from '../delivery/deliver-notification.ts'
import { type Delivered, failed } from '../delivery/delivered.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import type { NotifyTarget } from '../model/fleet.ts'
import type { Notification, NotificationResult } from '../model/notification.ts'
import { countOf } from '../notify/message.ts'
import { targetWords } from '../notify/target-words.ts'
import type { OpenFleet } from './open-fleet.ts'
import { createSecretResolver } from './secret-resolver.ts'

/** Who tells: each secret is opened once, and known to the redactor from then on. */
export function createSender(context: Context, { isClosed = false }: Pick<OpenFleet, 'isClosed'>): Sender & Closed {
  const { env, cwd, home, clock, signal, redactor } = context
  const open = createSecretResolver(context, { isClosed })
  return { env, cwd, home, clock, signal, open, isClosed, redact: (text) => redactor.redact(text) }
}

/** Whether nothing that the inventory names may be run. */
interface Closed {
  readonly isClosed: boolean
}

/** Tells one target; whatever keeps it from that is part of the result. */
export async function tell(
  sender: Sender & Closed,
  target: NotifyTarget,
  notification: Notification,
): Promise<NotificationResult> {
  const { ok, detail } = await attempt(sender, target, notification)
  const { changes } = notification
  return {
    target: targetWords(target),
    outcome: ok ? 'sent' : 'failed',
    new: countOf(changes, 'new'),
    changed: countOf(changes, 'changed'),
    gone: countOf(changes, 'gone'),
    detail,
  }
}

async function attempt(sender: Sender & Closed, target: NotifyTarget, notification: Notification): Promise<Delivered> {
  if (sender.isClosed && target.way.kind !== 'webhook')
    return failed('with --no-secret-commands no program is run for an inventory')
  try {
    return await deliverNotification(sender, target, notification)
  } catch (error) {
    if (!(error instanceof ConvergeError)) throw error
    return failed(`${error.summary} ${error.why}`)
  }
}
