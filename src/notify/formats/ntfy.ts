import { messageOf, type Script } from '../message.ts'
import { encodedWords } from './encoded-words.ts'
import { bytesOf, type Format } from './format.ts'

/** Bytes; what is longer becomes an attachment. */
const most = 4096

/** ntfy reads nothing in a text; its title is a header. */
export const ntfyScript: Script = { escape: (text) => text, measure: bytesOf, most }

export const ntfy: Format = (notification, templates) => {
  const { title, body } = messageOf(notification, templates, ntfyScript)
  return {
    headers: { 'content-type': 'text/plain; charset=utf-8', title: encodedWords(title, ' ') },
    body,
  }
}
