import { fillTemplate } from '../lib/fill-template.ts'
import { shownLine, visibleText } from '../lib/visible-text.ts'
import { hostItself } from '../model/action.ts'
import type { Change, Notification, Placeholder } from '../model/notification.ts'

/** How one format takes text: what it would take for a sign of its own, and how much of it. */
export interface Script {
  readonly escape: (text: string) => string
  /** The size of a text as the receiver counts it. */
  readonly measure: (text: string) => number
  /** Of title and body together, in that measure. */
  readonly most: number
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

/** More hosts than these are counted. */
const maxHosts = 10

/**
 * A notification in words, escaped for where it goes and no longer than what is taken there: as many findings as fit, and how many more
 * there are.
 */
export function messageOf(notification: Notification, templates: Templates, script: Script): Message {
  const lines = notification.changes.map((one) => script.escape(lineOf(one)))
  // What a template brings along may hide or turn what stands beside it as well.
  const above = visibleText(templates.title ?? ours.title)
  const below = visibleText(templates.body ?? ours.body)
  const line = fillTemplate(above, valuesOf(notification, script, lines, 1))
    .trimEnd()
    .replace(/\n/g, ' ')
  const title = cut(line, script, script.most / 4)
  const room = script.most - script.measure(`${title}\n`)
  const bodyWith = (count: number): string => fillTemplate(below, valuesOf(notification, script, lines, count)).trimEnd()
  const count = largest(fitting(lines, script, room), (some) => script.measure(bodyWith(some)) <= room)
  return { title, body: cut(bodyWith(count), script, room) }
}

/** How many lines have room by themselves, whatever the template adds. */
function fitting(lines: readonly string[], { measure }: Script, room: number): number {
  let left = room
  const beyond = lines.findIndex((line) => {
    left -= measure(line)
    return left < 0
  })
  return beyond < 0 ? lines.length : beyond
}

/** `new drift nas/coder definition.command.--threads: here 4, last applied and wanted 8`. */
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
  { escape }: Script,
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

/** The largest number up to `most` that fits; 0 where none does. */
function largest(most: number, fits: (count: number) => boolean): number {
  if (fits(most)) return most
  let [low, high] = [0, most]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle
  }
  return low
}

/** Only a template can be so long by itself. No character is cut in two, and no `&amp;`. */
function cut(text: string, { measure }: Script, most: number): string {
  if (measure(text) <= most) return text
  const signs = Array.from(text)
  const kept = largest(signs.length, (count) => measure(`${signs.slice(0, count).join('')}…`) <= most)
  return `${signs
    .slice(0, kept)
    .join('')
    .replace(/&[a-z]{0,4}$/u, '')
    .replace(/\\+$/u, '')}…`
}
