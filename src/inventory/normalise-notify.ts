import { InternalError } from '../errors/converge-error.ts'
import type { Notify as WrittenTarget } from '../generated/inventory-file.ts'
import { defined } from '../lib/defined.ts'
import type { NotifyEvent, NotifyTarget, NotifyWay } from '../model/fleet.ts'
import type { SourceRef } from '../model/source.ts'
import { locateSecret } from './locate-secret.ts'
import { normaliseSecret } from './normalise-service.ts'

/** What asks for somebody. What waits to be applied, and a laptop that sleeps, is told to who asks for it. */
const toldOf: readonly NotifyEvent[] = ['drift', 'foreign', 'failed', 'fetched', 'gone']

/**
 * @param folder where relative files of secrets are looked for
 * @param notifyAt where each entry stands
 */
export function normaliseNotify(
  written: readonly WrittenTarget[],
  { folder, notifyAt }: { readonly folder: string; readonly notifyAt: readonly SourceRef[] },
): readonly NotifyTarget[] {
  return written.map((entry, index) => {
    const source = notifyAt[index]
    if (source === undefined) throw new InternalError(`entry ${index + 1} of notify stands nowhere`)
    const { title, body } = entry
    return {
      way: wayOf(entry, folder),
      on: entry.on ?? toldOf,
      ...defined({ title, body }),
      source,
    }
  })
}

function wayOf({ webhook, format = 'generic', insecure = false, command, mail }: WrittenTarget, folder: string): NotifyWay {
  if (webhook !== undefined) return { kind: 'webhook', url: locateSecret(normaliseSecret(webhook), folder), format, insecure }
  if (command !== undefined) return { kind: 'command', argv: command }
  if (mail !== undefined) return { kind: 'mail', address: mail }
  throw new InternalError('an entry of notify names nobody')
}
