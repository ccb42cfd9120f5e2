import { assertNever } from '../errors/assert-never.ts'
import type { NotifyTarget, SecretReference } from '../model/fleet.ts'
import type { Notification } from '../model/notification.ts'
import type { Secret } from '../model/secret.ts'
import { generic } from '../notify/formats/generic.ts'
import { formats } from '../notify/formats/index.ts'
import { mailOf } from '../notify/formats/mail.ts'
import type { Clock } from '../time/clock.ts'
import { type Delivered, failed } from './delivered.ts'
import { handOver } from './hand-over.ts'
import { type PostLimits, post } from './post.ts'
import { webhookAddress } from './webhook-url.ts'

/** What sending a notification needs from the environment. */
export interface Sender {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
  readonly clock: Clock
  readonly signal: AbortSignal
  /** @throws ConvergeError `SECRET.*` */
  readonly open: (reference: SecretReference) => Promise<Secret>
  readonly redact: (text: string) => string
  /** Absent: the default limits. */
  readonly limits?: PostLimits
}

/** Time limit for a command or `sendmail`. */
const commandMs = 30_000

/** Folders of `sendmail` on machines whose PATH lacks them. */
const mailPath = ['/usr/sbin', '/usr/lib']

/**
 * Notifies one target. Never throws because of the target.
 *
 * @throws ConvergeError `SECRET.*` if its URL cannot be resolved
 */
export async function deliverNotification(
  sender: Sender,
  { way, ...templates }: NotifyTarget,
  notification: Notification,
): Promise<Delivered> {
  switch (way.kind) {
    case 'webhook': {
      const address = webhookAddress(await sender.open(way.url), way)
      if (typeof address === 'string') return failed(address)
      return post({ address, ...formats[way.format](notification, templates) }, sender, sender.limits)
    }
    case 'command':
      return handOver({
        ...programOf(sender, notification),
        argv: way.argv,
        input: generic(notification, templates).body,
      })
    case 'mail':
      return handOver({
        ...programOf(sender, notification),
        argv: ['sendmail', '-t', '-i'],
        input: mailOf(notification, templates, way.address),
      })
    default:
      return assertNever(way)
  }
}

function programOf({ env, cwd, home, signal, redact }: Sender, { run_id }: Notification) {
  const path = [env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin', ...mailPath].join(':')
  return { env: { PATH: path, HOME: home, CONVERGE_RUN_ID: run_id }, cwd, timeoutMs: commandMs, signal, redact }
}
