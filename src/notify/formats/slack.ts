import { messageOf, type Script } from '../message.ts'
import { asJson, type Format } from './format.ts'

/** What Slack takes in one text. */
const most = 3000

/**
 * `&`, `<` and `>` are all that Slack reads in text (links, mentions, commands). What takes the same JSON, like Mattermost, reads
 * `@channel` as well: a sign of no width keeps it apart.
 */
export const slackScript: Script = {
  escape: (text) =>
    text
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      .replace(/@(?=(?:here|channel|all|everyone)\b)/gi, '@\u200b'),
  measure: (text) => text.length,
  most: most - 3,
}

export const slack: Format = (notification, templates) => {
  const { title, body } = messageOf(notification, templates, slackScript)
  return asJson({ text: `*${title}*\n${body}`, unfurl_links: false, unfurl_media: false })
}
