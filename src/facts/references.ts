import { known, type Observed, unknown } from '../model/observed.ts'
import type { Lead, Mention, References } from '../model/prune.ts'
import { firstWords, linesOf } from './fact.ts'

/**
 * Reads what `tell_references` printed. What did not arrive whole, and a line that is like no other, leaves all of it unknown.
 *
 * @param names as they were asked
 */
export function readReferences(text: string, names: readonly string[]): Observed<References> {
  const lines = linesOf(text)
  if (lines.at(-1) !== 'whole') return unknown('unreadable', 'what refers to the models did not arrive whole')
  const nodes: [string, string][] = []
  const mentions: Mention[] = []
  const leads: Lead[] = []
  const open: { pid: number; path: string }[] = []
  const unread: string[] = []
  for (const line of lines.slice(0, -1)) {
    const [, tag = '', one = '', two = '', rest = ''] =
      /^(node) (\d+:\d+)() (\/.*)$/.exec(line) ??
      /^(says|runs) (\d+) (-|\d+:\d+) (.+)$/.exec(line) ??
      /^(leads) (\d+:\d+) (option|plain) (\/.*)$/.exec(line) ??
      /^(open) (\d+)() (\/.*)$/.exec(line) ??
      /^(unread)()() (\/.*)$/.exec(line) ??
      []
    const name = names[Number(one) - 1]
    if (tag === 'node') nodes.push([rest, one])
    else if (tag === 'leads') leads.push({ definition: rest, node: one, isOption: two === 'option' })
    else if (tag === 'open') open.push({ pid: Number(one), path: rest })
    else if (tag === 'unread') unread.push(rest)
    else if ((tag === 'says' || (tag === 'runs' && /^\d+$/.test(rest))) && name !== undefined) {
      const by = tag === 'runs' ? { pid: Number(rest) } : { definition: rest }
      mentions.push({ by, name, ...(two === '-' ? {} : { node: two }) })
    } else return unknown('unreadable', `there is a line in it that cannot be read: ${firstWords(line) ?? ''}`)
  }
  return known({ nodes: Object.fromEntries(nodes), mentions, leads, open, unread })
}
