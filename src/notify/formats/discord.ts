import { messageOf, type TextRules } from '../message.ts'
import { asJson, type Format } from './format.ts'

/** The limit of one Discord message. */
const max = 2000

/** Links are not shown as cards. */
const suppressEmbeds = 4

/** Escapes all Markdown characters. `allowed_mentions` prevents mentions. */
export const discordRules: TextRules = {
  escape: (text) => text.replace(/[\\*_~`|<>[\]()#:@+-]/g, '\\$&'),
  measure: (text) => text.length,
  max: max - 5,
}

export const discord: Format = (notification, templates) => {
  const { title, body } = messageOf(notification, templates, discordRules)
  return asJson({ content: `**${title}**\n${body}`, allowed_mentions: { parse: [] }, flags: suppressEmbeds })
}
