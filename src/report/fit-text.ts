import stringWidth from 'string-width'

const letters = new Intl.Segmenter()

/** Columns on a terminal: wide characters count two, colours none. */
export function widthOf(text: string): number {
  return isPlain.test(text) ? text.length : stringWidth(text)
}

const isPlain = /^[\x20-\x7e]*$/

/** A text of exactly this width: cut, with `…` at its end, or filled with blanks. Without colours. */
export function fitText(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const cut = cutText(text, width)
  const rest = ' '.repeat(Math.max(0, width - widthOf(cut)))
  return side === 'left' ? cut + rest : rest + cut
}

export function cutText(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  if (width <= 0) return ''
  let cut = ''
  let used = 0
  for (const { segment } of letters.segment(text)) {
    const own = widthOf(segment)
    if (used + own > width - 1) break
    cut += segment
    used += own
  }
  return `${cut}…`
}
