import type { Notification } from '../../model/notification.ts'
import type { Templates } from '../message.ts'

/** A notification for a webhook. */
export interface WebhookMessage {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Format = (notification: Notification, templates: Templates) => WebhookMessage

/** Bytes of UTF-8. */
export function bytesOf(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}

export function asJson(value: unknown): WebhookMessage {
  return { headers: { 'content-type': 'application/json' }, body: `${JSON.stringify(value)}\n` }
}
