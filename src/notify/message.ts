import { fillTemplate } from '../lib/fill-template.ts'
import { shownLine, visibleText } from '../lib/visible-text.ts'
import { hostItself } from '../model/action.ts'
import type { Change, Notification, Placeholder } from '../model/notification.ts'

/** How a format treats text: characters to escape, and the maximum size. */
export interface TextRules {
  readonly escape: (text: string) => string
  /** The size of a text, as the receiver counts it. */
  readonly measure: (text: string) => number
  /** The maximum size of title and body together. */
  readonly max: number
}

export interface Templates {
  readonly title?: string
  readonly body?: string
}

export interface Message {
  /** One line. */
  readonly title: string
  readonly body: string
}

const ours = { title: 'converge: {{counts}} in {{inventory}}', body: '{{findings}}' } as const

/** How many hosts are named; the rest is counted. */
const maxHosts = 10

/**
 * Renders a notification as text, escaped for its format and within its size limit: as many findings as fit, and the number of the
 * rest.
 */
export function messageOf(notification: Notification, templates: Templates, rules: TextRules): Message {
  const lines = notification.changes.map((one) => rules.escape(lineOf(one)))
  // Control characters in a template could hide or reverse other text.
  const above = visibleText(templates.title ?? ours.title)
  const below = visibleText(templates.body ?? ours.body)
  const line = fillTemplate(above, valuesOf(notification, rules, lines, 1))
    .trimEnd()
    .replace(/\n/g, ' ')
  const title = cut(line, rules, rules.max / 4)
  const room = rules.max - rules.measure(`${title}\n`)
  const bodyWith = (count: number): string => fillTemplate(below, valuesOf(notification, rules, lines, count)).trimEnd()
  const count = largest(fitting(lines, rules, room), (some) => rules.measure(bodyWith(some)) <= room)
  return { title, body: cut(bodyWith(count), rules, room) }
}

/** How many lines fit without the template. */
function fitting(lines: readonly string[], { measure }: TextRules, room: number): number {
  let left = room
  const beyond = lines.findIndex((line) => {
    left -= measure(line)
    return left < 0
  })
  return beyond < 0 ? lines.length : beyond
}

/** `new drift nas/coder definition.command.--threads: host: 4, inventory: 8 (as last applied)`. */
export function lineOf({ change, event, host, service, field, text }: Change): string {
  const where = service === hostItself ? host : `${host}/${service}`
  const what = field === event ? '' : ` ${field}`
  return shownLine(`${change} ${event} ${where}${what}${text === undefined || text === '' ? '' : `: ${text}`}`)
}

/** `2 new, 1 gone`. */
export function countsOf(changes: readonly Change[]): string {
  const parts = (['new', 'changed', 'gone'] as const).map((name) => [countOf(changes, name), name] as const)
  return parts.flatMap(([count, name]) => (count === 0 ? [] : [`${count} ${name}`])).join(', ')
}

export function countOf(changes: readonly Change[], name: Change['change']): number {
  return changes.filter(({ change }) => change === name).length
}

function valuesOf(
  { changes, inventory, verb, run_id, at, controller, open, test }: Notification,
  { escape }: TextRules,
  lines: readonly string[],
  count: number,
): Readonly<Record<Placeholder, string>> {
  const hosts = [...new Set(changes.map(({ host }) => host))]
  const named = hosts.slice(0, maxHosts).join(', ')
  const shown = lines.slice(0, count)
  return {
    inventory: escape(shownLine(inventory)),
    verb: escape(verb),
    run: escape(run_id),
    time: escape(at),
    controller: escape(shownLine(controller)),
    counts: escape(test ? 'a test' : countsOf(changes)),
    new: String(countOf(changes, 'new')),
    changed: String(countOf(changes, 'changed')),
    gone: String(countOf(changes, 'gone')),
    open: String(open),
    hosts: escape(shownLine(hosts.length > maxHosts ? `${named} and ${hosts.length - maxHosts} more` : named)),
    findings: [...shown, ...(lines.length > count ? [escape(`… and ${lines.length - count} more`)] : [])].join('\n'),
  }
}

/** The largest number up to `max` that fits; 0 if none does. */
function largest(max: number, fits: (count: number) => boolean): number {
  if (fits(max)) return max
  let [low, high] = [0, max]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle
  }
  return low
}

/** Truncates a text that is too long because of its template. Never splits a character or an `&amp;`. */
function cut(text: string, { measure }: TextRules, max: number): string {
  if (measure(text) <= max) return text
  const signs = Array.from(text)
  const kept = largest(signs.length, (count) => measure(`${signs.slice(0, count).join('')}…`) <= max)
  return `${signs
    .slice(0, kept)
    .join('')
    .replace(/&[a-z]{0,4}$/u, '')
    .replace(/\\+$/u, '')}…`
}
