import type { Notification } from '../../model/notification.ts'
import { messageOf, type Script, type Templates } from '../message.ts'
import { encodedWords } from './encoded-words.ts'
import { bytesOf } from './format.ts'

/** Bytes. Written in base64 it is a third longer, and then no larger than 256 KiB. */
const most = 188 * 1024

const script: Script = { escape: (text) => text, measure: bytesOf, most }

/**
 * A mail for `sendmail -t -i`, which adds its sender and its id. The body is base64 where a server on the way could break it: other
 * signs than ASCII, or lines that are too long.
 *
 * @param address as the schema lets it through: no line end, no list
 */
export function mailOf(notification: Notification, templates: Templates, address: string): string {
  const { title, body } = messageOf(notification, templates, script)
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
