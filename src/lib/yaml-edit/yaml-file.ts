import { type Document, parseDocument } from 'yaml'
import { stableJson } from '../stable-json.ts'

/** Why a file cannot be edited there: a plain sentence. */
export interface EditFault {
  readonly why: string
}

/** Text that replaces a range of offsets. Its line ends are `\n`; the file's own are used instead. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly words: string
}

/** A YAML (or JSON) file, read for its positions. */
export interface YamlFile {
  /** Without a byte order mark. */
  readonly text: string
  readonly document: Document.Parsed
  /** With aliases and `<<` resolved; null: the file is empty. */
  readonly value: unknown
}

/** Edits, and what the file means after them. */
export interface PlannedEdit {
  readonly edits: readonly Edit[]
  readonly meant: unknown
}

/**
 * The text with the planned edits; every other byte stays. The result is read again: if it does not mean what was planned, it is a fault. So an edit
 * of an anchored value that an alias repeats elsewhere is a fault too.
 */
export function editYaml(text: string, plan: (file: YamlFile) => PlannedEdit | EditFault): string | EditFault {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const before = readYaml(text.slice(mark.length))
  if ('why' in before) return before
  const planned = plan(before)
  if ('why' in planned) return planned
  const changed = applyEdits(before.text, planned.edits)
  const after = readYaml(changed)
  if (!('why' in after) && stableJson(after.value) === stableJson(planned.meant)) return mark + changed
  return { why: 'This cannot be edited without changing other values of the file.' }
}

export function readYaml(text: string): YamlFile | EditFault {
  try {
    const document = parsedForEdit(text)
    const [error] = document.errors
    if (error?.code === 'MULTIPLE_DOCS') return { why: 'The file has several YAML documents.' }
    if (error !== undefined) return { why: 'The file is not valid YAML.' }
    // A value that contains itself is not JSON.
    const value: unknown = JSON.parse(stableJson(document.toJS({ maxAliasCount: mostAliases }) ?? null))
    return { text, document, value }
  } catch {
    return { why: 'The file is nested too deeply, or an alias or a `<<` cannot be resolved.' }
  }
}

/** More could stand for a text that fits in no memory. */
const mostAliases = 1000

/** For positions. */
export function parsedForEdit(text: string): Document.Parsed {
  return parseDocument(text, {
    uniqueKeys: false,
    prettyErrors: false,
    schema: 'core',
    merge: true,
    // A silent parser does not report a second document.
    logLevel: 'error',
    keepSourceTokens: true,
  })
}

/** @param edits from top to bottom, without overlaps */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let changed = ''
  let at = 0
  for (const { start, end, words } of edits) {
    changed += text.slice(at, start) + words.replaceAll('\n', lineEndAt(text, start))
    at = end
  }
  return changed + text.slice(at)
}

/** As the line before ends, or else the first one. */
function lineEndAt(text: string, at: number): string {
  const before = at === 0 ? -1 : text.lastIndexOf('\n', at - 1)
  const end = before < 0 ? text.indexOf('\n') : before
  return end > 0 && text[end - 1] === '\r' ? '\r\n' : '\n'
}
