import type { Paint } from './paint.ts'

/** A result in its two basic forms; every format is made from these. */
export interface Result {
  /** Plain JSON: what `--json` prints. */
  readonly document: unknown
  text(paint: Paint): string
  /** Sentences, which a terminal of any width may fold; absent for tables, files and lists that are to be read by programs. */
  readonly prose?: true
}

/** Every format that `--format` knows. Each is a function from a result to what is written. */
export const formats = {
  text: (result: Result, paint: Paint) => result.text(paint),
  json: (result: Result) => `${JSON.stringify(result.document, null, 2)}\n`,
} as const satisfies Record<string, (result: Result, paint: Paint) => string>

export type FormatName = keyof typeof formats
