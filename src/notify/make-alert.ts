import { digestOf } from '../lib/digest.ts'
import { shownLine } from '../lib/visible-text.ts'
import type { Alert } from '../model/notification.ts'

/**
 * Creates an alert; its names and texts may come from an untrusted source.
 *
 * @param news a different value is reported as a change
 */
export function makeAlert(
  origin: Alert['origin'],
  event: Alert['event'],
  [host, service, field]: readonly [string, string, string],
  { text, news }: { readonly text: string; readonly news: unknown },
): Alert {
  return {
    id: shortDigest([origin, host, service, field]),
    digest: shortDigest([event, news ?? null]),
    origin,
    event,
    host,
    service: shownLine(service),
    field: shownLine(field),
    text: shownLine(text),
  }
}

/** 24 hexadecimal digits. */
export function shortDigest(value: unknown): string {
  return digestOf(value).slice(0, 24)
}
