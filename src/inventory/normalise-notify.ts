import { InternalError } from '../errors/converge-error.ts'
import type { Notify as WrittenTarget } from '../generated/inventory-file.ts'
import { defined } from '../lib/defined.ts'
import type { NotifyEvent, NotifyTarget, NotifyWay } from '../model/fleet.ts'
import type { SourceRef } from '../model/source.ts'
import { locateSecret } from './locate-secret.ts'
import { normaliseSecret } from './normalise-service.ts'

/** Events that need attention. Pending changes and unreachable hosts are sent only on request. */
const defaultEvents: readonly NotifyEvent[] = ['drift', 'foreign', 'failed', 'fetched', 'gone']

/**
 * @param folder the folder of relative secret files
 * @param notifyAt the position of each entry
 */
export function normaliseNotify(
  written: readonly WrittenTarget[],
  { folder, notifyAt }: { readonly folder: string; readonly notifyAt: readonly SourceRef[] },
): readonly NotifyTarget[] {
  return written.map((entry, index) => {
    const source = notifyAt[index]
    if (source === undefined) throw new InternalError(`entry ${index + 1} of notify has no position`)
    const { title, body } = entry
    return {
      way: wayOf(entry, folder),
      on: entry.on ?? defaultEvents,
      ...defined({ title, body }),
      source,
    }
  })
}

function wayOf({ webhook, format = 'generic', insecure = false, command, mail }: WrittenTarget, folder: string): NotifyWay {
  if (webhook !== undefined) return { kind: 'webhook', url: locateSecret(normaliseSecret(webhook), folder), format, insecure }
  if (command !== undefined) return { kind: 'command', argv: command }
  if (mail !== undefined) return { kind: 'mail', address: mail }
  throw new InternalError('an entry of notify names no receiver')
}
