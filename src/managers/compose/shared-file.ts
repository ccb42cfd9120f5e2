import { isObject } from '../../lib/json-object.ts'
import { ownMember } from '../../lib/own-member.ts'
import { removeEntry } from '../../lib/yaml-edit/remove-entry.ts'
import { type EntryLines, entryLines, replaceEntry, withEmptyEntry } from '../../lib/yaml-edit/replace-entry.ts'
import { type EditFault, readYaml } from '../../lib/yaml-edit/yaml-file.ts'
import type { PutStep } from '../../model/step.ts'
import type { SecretTree } from '../closed-secrets.ts'
import type { RenderInput } from '../manager.ts'
import { ownershipLines } from '../ownership-label.ts'
import { composeBlock } from './compose-yaml.ts'
import { serviceKey } from './names.ts'
import { blockIn, pathOf, unveiled, veiled } from './shared-block.ts'

type ComposeService = Readonly<Record<string, SecretTree>>

/** A user's compose file with a service of converge in it. */
export interface EditedFile {
  /** Redacted, so it is never sent. If there is a fault: a file with the service alone. */
  readonly content: string
  /** The lines of the service. */
  readonly part: string
  /** How the host changes its file; absent: there is none yet, and the content is the new one. */
  readonly splice?: Splice
  /** Why the file cannot be edited. Absent: it can. */
  readonly fault?: string
}

/** Lines of a file that others replace. All others stay as they are on the host: converge knows them only with keys as `***`. */
export interface Splice {
  /** The lines before. */
  readonly head: number
  /** The number of the first line after. */
  readonly tail: number
  /** The lines of the file. */
  readonly total: number
  readonly text: string
}

/** The user's compose file in which the lines of the service are replaced, or added behind those of the others. All other bytes stay. */
export function editWithBlock(input: RenderInput, service: ComposeService): EditedFile {
  const edited = withBlock(input, service)
  if (!('why' in edited)) return edited
  const isVeiled = input.around?.text.includes('***') === true
  const part = blockLines(input, service, { column: 2, step: 2, key: serviceKey(input.service) })
  return {
    content: `services:\n${part}`,
    part,
    fault: isVeiled ? `${edited.why} converge sees it with keys as \`***\`, to the end of their line.` : edited.why,
  }
}

/** How the host removes the service from the user's compose file; undefined: it is not there. */
export function editWithoutBlock({ service, around }: RenderInput): Splice | EditFault | undefined {
  if (around === undefined || blockIn(around.text, service) === undefined) return undefined
  const text = veiled(around.text)
  const without = removeEntry(text, pathOf(service))
  return typeof without === 'string' ? spliceOf(text, without) : without
}

function withBlock(input: RenderInput, service: ComposeService): EditedFile | EditFault {
  const { around } = input
  const path = pathOf(input.service)
  const text = veiled(around?.text ?? '')
  const before = entryLines(text, path)
  const framed = before === undefined ? withEmptyEntry(text, path) : text
  if (typeof framed !== 'string') return framed
  const old = before ?? entryLines(framed, path)
  if (old === undefined || 'why' in old) return old ?? { why: 'It has no place for a service.' }
  const part = blockLines(input, service, old)
  const after = replaceEntry(framed, path, { lines: part, value: valueOf(part, input) })
  if (typeof after !== 'string') return after
  const content = unveiled(after)
  if (around === undefined) return { content, part }
  const splice = spliceOf(text, after)
  return 'why' in splice ? splice : { content, part, splice }
}

function blockLines(input: RenderInput, service: ComposeService, place: Pick<EntryLines, 'column' | 'step' | 'key'>): string {
  const { column, step, key } = place
  const comment = ownershipLines(input).map((line) => `# ${line}\n`)
  const below = `${comment.join('')}${composeBlock(service, step)}`.replaceAll(/^(?=.)/gm, ' '.repeat(step))
  return `${key}:\n${below}`.replaceAll(/^(?=.)/gm, ' '.repeat(column))
}

function valueOf(lines: string, { service }: RenderInput): unknown {
  const file = readYaml(lines)
  return 'why' in file || !isObject(file.value) ? undefined : ownMember(file.value, serviceKey(service))
}

/** The probe shows this many lines of a file. */
const shownLines = 2000

/** From the first to the last line that differs. */
function spliceOf(before: string, after: string): Splice | EditFault {
  const [from, to] = [linesOf(before), linesOf(after)]
  if (from.length >= shownLines) return { why: `It has ${shownLines} lines or more, and converge sees only so many.` }
  const shorter = Math.min(from.length, to.length)
  let head = 0
  while (head < shorter && from[head] === to[head]) head++
  let same = 0
  while (same < shorter - head && from.at(-1 - same) === to.at(-1 - same)) same++
  const text = to.slice(head, to.length - same).join('')
  if (text !== unveiled(text)) return { why: 'A line that has to change has a key that converge does not know.' }
  return { head, tail: from.length - same + 1, total: from.length, text }
}

/** With their line ends. */
function linesOf(text: string): readonly string[] {
  return text.split(/(?<=\n)/)
}

/**
 * Shell for the validation of a \`put\`: makes the new file of the lines that were sent, and of those around them in the present one. Before that, it
 * checks the number of lines. A last line without a line end gets one if lines follow.
 */
export function spliced(path: string, splice: Splice | undefined, validate: NonNullable<PutStep['validate']>): typeof validate {
  if (splice === undefined) return validate
  const { head, tail, total } = splice
  return {
    script: `new=$1 old=$2 head=$3 tail=$4 total=$5
shift 5
lines=$(wc -l <"$old") || exit 1
[ "$lines" -eq "$total" ] || [ "$((lines + 1))" -eq "$total" ] || { echo "$old now has $lines lines"; exit 1; }
text=$(cat "$new" && echo .) || exit 1
{
  head -n "$head" "$old" || exit 1
  [ "$text" = . ] || [ -z "$(head -n "$head" "$old" | tail -c 1)" ] || echo
  printf %s "\${text%.}" && tail -n "+$tail" "$old"
} >"$new" || exit 1
set -- "$new" "$@"
${validate.script}`,
    args: [path, String(head), String(tail), String(total), ...validate.args],
  }
}
