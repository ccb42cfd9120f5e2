/**
 * Prose broken at blanks so that no line is wider than `width`; what has no blank stays whole. Lines that begin with a blank or
 * a quotation sign (code frames, listings), and lines that hold a command, stay as they are.
 */
export function wrapText(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => (/^[\s>|]|\bconverge [a-z]+ -/.test(line) ? line : wrapLine(line, width)))
    .join('\n')
}

function wrapLine(line: string, width: number): string {
  const lines: string[] = []
  let current = ''
  for (const word of line.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > width) {
      lines.push(current)
      current = word
    } else current = current === '' ? word : `${current} ${word}`
  }
  return [...lines, current].join('\n')
}
