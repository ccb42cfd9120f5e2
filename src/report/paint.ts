import type { GivenOptions } from '../model/given-options.ts'

/** How text is written: with or without colours, and with the options of the run in its commands. The caller decides, so renderers stay pure. */
export interface Paint {
  (style: readonly PaintStyle[], text: string): string
  /** Options that commands to copy need as well. */
  readonly given: GivenOptions
  /** Text that is not wrapped: commands, files, diffs, tables. */
  readonly whole: (text: string) => string
  /** Marks where the words of a line begin, after a sign or a label: wrapped words continue below it. Without it, below the first word. */
  readonly hang: string
}

export type PaintStyle = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'magenta'

export const noPaint: Paint = plainPaint({})

/** For files and pipes. */
export function plainPaint(given: GivenOptions): Paint {
  return Object.assign((_style: readonly PaintStyle[], text: string) => text, { given, whole: (text: string) => text, hang: '' })
}

/** The same colours, with the options of the command line. */
export function paintGiven(paint: Paint, given: GivenOptions): Paint {
  const { whole, hang } = paint
  return Object.assign((style: readonly PaintStyle[], text: string) => paint(style, text), { given, whole, hang })
}
