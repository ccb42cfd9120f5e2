import { messageOf, type TextRules } from '../message.ts'
import { asJson, type Format } from './format.ts'

/** The limit of one Slack text. */
const max = 3000

/**
 * Slack only interprets `&`, `<` and `>` (links, mentions, commands). Programs with the same JSON, like Mattermost, also interpret
 * `@channel`: a zero-width space prevents that.
 */
export const slackRules: TextRules = {
  escape: (text) =>
    text
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      .replace(/@(?=(?:here|channel|all|everyone)\b)/gi, '@\u200b'),
  measure: (text) => text.length,
  max: max - 3,
}

export const slack: Format = (notification, templates) => {
  const { title, body } = messageOf(notification, templates, slackRules)
  return asJson({ text: `*${title}*\n${body}`, unfurl_links: false, unfurl_media: false })
}
