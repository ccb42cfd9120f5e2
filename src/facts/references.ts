import { known, type Observed, unknown } from '../model/observed.ts'
import type { Mention, References } from '../model/prune.ts'
import { firstWords, linesOf } from './fact.ts'

/**
 * Reads the output of `print_references`. Incomplete output or an unknown line makes all of it unknown.
 *
 * @param names as they were asked
 */
export function readReferences(text: string, names: readonly string[]): Observed<References> {
  const lines = linesOf(text)
  if (lines.at(-1) !== 'whole') return unknown('unreadable', 'the list of references to models is incomplete')
  const rows: Row[] = []
  for (const line of lines.slice(0, -1)) {
    const row = rowOf(line, names)
    if (row === undefined) return unknown('unreadable', `unexpected line: ${firstWords(line) ?? ''}`)
    rows.push(row)
  }
  const tagged = (tag: string) => rows.filter((row) => row.tag === tag)
  return known({
    nodes: Object.fromEntries(tagged('node').map(({ one, rest }) => [rest, one])),
    mentions: rows.flatMap(mentionIn),
    leads: tagged('leads').map(({ one, two, rest }) => ({ definition: rest, node: one, isOption: two === 'option' })),
    open: tagged('open').map(({ one, rest }) => ({ pid: Number(one), path: rest })),
    unread: tagged('unread').map(({ rest }) => rest),
  })
}

/** `TAG ONE TWO REST`; for a mention, the name it mentions. */
type Row = Readonly<Record<'tag' | 'one' | 'two' | 'rest', string>> & { readonly name: string | undefined }

const shapes = [
  /^(node) (\d+:\d+)() (\/.*)$/,
  /^(says) (\d+) (-|\d+:\d+) (.+)$/,
  /^(runs) (\d+) (-|\d+:\d+) (\d+)$/,
  /^(leads) (\d+:\d+) (option|plain) (\/.*)$/,
  /^(open) (\d+)() (\/.*)$/,
  /^(unread)()() (\/.*)$/,
]

function rowOf(line: string, names: readonly string[]): Row | undefined {
  const [, tag, one = '', two = '', rest = ''] = shapes.map((shape) => shape.exec(line)).find((words) => words !== null) ?? []
  const isMention = tag === 'says' || tag === 'runs'
  const name = isMention ? names[Number(one) - 1] : undefined
  return tag === undefined || (isMention && name === undefined) ? undefined : { tag, one, two, rest, name }
}

function mentionIn({ tag, two, rest, name }: Row): readonly Mention[] {
  if (name === undefined) return []
  const by = tag === 'runs' ? { pid: Number(rest) } : { definition: rest }
  return [{ by, name, ...(two === '-' ? {} : { node: two }) }]
}
