import type { Notification } from '../../model/notification.ts'
import { messageOf, type Templates, type TextRules } from '../message.ts'
import { encodedWords } from './encoded-words.ts'
import { bytesOf } from './format.ts'

/** Bytes. Base64 adds a third, which keeps it within 256 KiB. */
const max = 188 * 1024

const rules: TextRules = { escape: (text) => text, measure: bytesOf, max }

/**
 * A mail for `sendmail -t -i`, which adds the sender and message id. The body is base64 if a mail server could damage it: non-ASCII
 * characters, or long lines.
 *
 * @param address validated by the schema: no line end, no list
 */
export function mailOf(notification: Notification, templates: Templates, address: string): string {
  const { title, body } = messageOf(notification, templates, rules)
  const isPlain = /^[\x20-\x7e\n\t]*$/.test(body) && body.split('\n').every((line) => line.length <= 900)
  const lines = [
    `To: ${address}`,
    `Subject: ${encodedWords(title, '\n ')}`,
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    `Content-Transfer-Encoding: ${isPlain ? '7bit' : 'base64'}`,
    '',
    isPlain ? body : base64Lines(`${body}\n`),
  ]
  return `${lines.join('\n')}\n`
}

function base64Lines(text: string): string {
  return (
    Buffer.from(text, 'utf8')
      .toString('base64')
      .match(/.{1,76}/g) ?? []
  ).join('\n')
}
