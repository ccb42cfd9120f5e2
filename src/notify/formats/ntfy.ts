import { messageOf, type TextRules } from '../message.ts'
import { encodedWords } from './encoded-words.ts'
import { bytesOf, type Format } from './format.ts'

/** Bytes; ntfy turns a longer message into an attachment. */
const max = 4096

/** ntfy has no markup; its title is a header. */
export const ntfyRules: TextRules = { escape: (text) => text, measure: bytesOf, max }

export const ntfy: Format = (notification, templates) => {
  const { title, body } = messageOf(notification, templates, ntfyRules)
  return {
    headers: { 'content-type': 'text/plain; charset=utf-8', title: encodedWords(title, ' ') },
    body,
  }
}
