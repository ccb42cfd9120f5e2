/** How text is coloured; the caller decides whether at all. Renderers stay pure. */
export type Paint = (style: readonly PaintStyle[], text: string) => string

export type PaintStyle = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'magenta'

export const noPaint: Paint = (_style, text) => text
