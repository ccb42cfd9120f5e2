import { posix } from 'node:path'
import type { SourceFile } from './source-file.ts'

export interface Import {
  readonly from: SourceFile
  readonly specifier: string
  /** For a relative specifier: the file it means, from the project's folder. */
  readonly target?: string
  /** `static`: loaded with the file; `dynamic`: `import(…)`; `type`: gone when it runs. */
  readonly kind: 'static' | 'dynamic' | 'type'
  readonly offset: number
}

const clause = String.raw`(?:\*(?:\s+as\s+[\w$]+)?|[\w$]+(?:\s*,\s*(?:\{[^}]*\}|\*\s+as\s+[\w$]+))?|\{[^}]*\})`
const statement = new RegExp(
  [
    String.raw`\b(?:import|export)\s+(?<type>type\s+)?${clause}\s*from\s*(?=['"])`,
    String.raw`\bimport\s*(?=['"])`,
    String.raw`\bimport\s*(?<call>\()\s*(?=['"${'`'}])`,
  ].join('|'),
  'g',
)

/** Everything a file imports or re-exports, in whatever form, type imports included. */
export function importsOf(file: SourceFile): readonly Import[] {
  return [...file.code.matchAll(statement)].map((match) => {
    const open = match.index + match[0].length
    const specifier = file.text.slice(open + 1, file.code.indexOf(file.text.charAt(open), open + 1))
    const kind = match.groups?.['call'] !== undefined ? 'dynamic' : match.groups?.['type'] !== undefined ? 'type' : 'static'
    const found = { from: file, specifier, kind, offset: match.index } as const
    return specifier.startsWith('.') ? { ...found, target: posix.join(posix.dirname(file.path), specifier) } : found
  })
}
