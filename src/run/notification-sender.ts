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

/** Creates a sender. Each secret is resolved once, and the redactor learns it. */
export function createSender(context: Context, { isClosed = false }: Pick<OpenFleet, 'isClosed'>): Sender & UntrustedInventory {
  const { env, cwd, home, clock, signal, redactor } = context
  const open = createSecretResolver(context, { isClosed })
  return { env, cwd, home, clock, signal, open, isClosed, redact: (text) => redactor.redact(text) }
}

/** Whether commands from the inventory are forbidden. */
interface UntrustedInventory {
  readonly isClosed: boolean
}

/** Notifies one target. A failure is part of the result. */
export async function sendNotification(
  sender: Sender & UntrustedInventory,
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

async function attempt(
  sender: Sender & UntrustedInventory,
  target: NotifyTarget,
  notification: Notification,
): Promise<Delivered> {
  if (sender.isClosed && target.way.kind !== 'webhook') return failed('--no-secret-commands forbids commands of the inventory')
  try {
    return await deliverNotification(sender, target, notification)
  } catch (error) {
    if (!(error instanceof ConvergeError)) throw error
    return failed(`${error.summary} ${error.why}`)
  }
}
