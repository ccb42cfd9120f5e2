import { mapStrings } from '../../lib/map-strings.ts'
import { shownLine } from '../../lib/visible-text.ts'
import type { Notification } from '../../model/notification.ts'
import { countOf, messageOf, type Templates, type TextRules } from '../message.ts'
import { asJson, bytesOf, type Format } from './format.ts'

/** Rules for the text; the findings are separate members. */
const rules: TextRules = { escape: (text) => text, measure: bytesOf, max: 16 * 1024 }

/** A finding has a few hundred bytes; all together stay below a quarter of a MiB. */
const maxFindings = 200

/** The JSON of schemas/notification.schema.json, for custom webhooks and commands. */
export const generic: Format = (notification, templates) => asJson(documentOf(notification, templates))

function documentOf(notification: Notification, templates: Templates) {
  const { run_id, verb, at, inventory, controller, test, changes, open } = notification
  const { title, body } = messageOf(notification, templates, rules)
  return {
    schema: 'converge/notification/v1',
    run_id,
    verb,
    at,
    inventory: shownLine(inventory),
    controller: shownLine(controller),
    test,
    title,
    text: body,
    summary: {
      new: countOf(changes, 'new'),
      changed: countOf(changes, 'changed'),
      gone: countOf(changes, 'gone'),
      open,
    },
    findings: mapStrings(changes.slice(0, maxFindings), shownLine),
    more: Math.max(0, changes.length - maxFindings),
  }
}
