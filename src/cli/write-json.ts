import type { Context } from './context.ts'

/** The one JSON document of `--json`, on stdout. */
export function writeJson(context: Context, document: unknown): void {
  context.out.write(`${JSON.stringify(document, null, 2)}\n`)
}
