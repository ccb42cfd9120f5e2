import { messageOf, type Script } from '../message.ts'
import { asJson, type Format } from './format.ts'

/** What Discord takes in one message. */
const most = 2000

/** Links are not shown as cards. */
const suppressEmbeds = 4

/** Whatever Markdown gives a meaning is taken literally; nobody can be mentioned besides (`allowed_mentions`). */
export const discordScript: Script = {
  escape: (text) => text.replace(/[\\*_~`|<>[\]()#:@+-]/g, '\\$&'),
  measure: (text) => text.length,
  most: most - 5,
}

export const discord: Format = (notification, templates) => {
  const { title, body } = messageOf(notification, templates, discordScript)
  return asJson({ content: `**${title}**\n${body}`, allowed_mentions: { parse: [] }, flags: suppressEmbeds })
}
