import type { GivenOptions } from '../model/given-options.ts'

/** How text is written, as the caller decides: in colours or not, and with the options of the run in its commands. Renderers stay pure. */
export interface Paint {
  (style: readonly PaintStyle[], text: string): string
  /** What commands to copy have to say as well. */
  readonly given: GivenOptions
  /** Lines, or a part of one, that no terminal breaks: commands, files, differences, tables. */
  readonly whole: (text: string) => string
  /** Stands in a line where its words begin, behind a sign or a label: what a terminal breaks goes on below. Without it, below the first word. */
  readonly hang: string
}

export type PaintStyle = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'magenta'

export const noPaint: Paint = plainPaint({})

/** For what is no terminal. */
export function plainPaint(given: GivenOptions): Paint {
  return Object.assign((_style: readonly PaintStyle[], text: string) => text, { given, whole: (text: string) => text, hang: '' })
}

/** The same colours, once it is known what the command line says. */
export function paintGiven(paint: Paint, given: GivenOptions): Paint {
  const { whole, hang } = paint
  return Object.assign((style: readonly PaintStyle[], text: string) => paint(style, text), { given, whole, hang })
}
