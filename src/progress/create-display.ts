import { assertNever } from '../errors/assert-never.ts'
import type { Display } from './display.ts'
import { createListrDisplay } from './listr.ts'
import { createPlainDisplay } from './plain.ts'
import { createSilentDisplay } from './silent.ts'

/** `listr`: live, for terminals. `plain`: line by line, for CI and files. */
export type DisplayKind = 'listr' | 'plain' | 'silent'

/** @param stream stderr: stdout belongs to the result */
export function createDisplay(
  kind: DisplayKind,
  { stream, env }: { readonly stream: NodeJS.WriteStream; readonly env: Readonly<Record<string, string | undefined>> },
): Display {
  switch (kind) {
    case 'listr':
      // A terminal that cannot move its cursor gets lines.
      return env['TERM'] === 'dumb' ? createPlainDisplay({ stream, now: Date.now }) : createListrDisplay(stream)
    case 'plain':
      return createPlainDisplay({ stream, now: Date.now })
    case 'silent':
      return createSilentDisplay()
    default:
      return assertNever(kind)
  }
}
