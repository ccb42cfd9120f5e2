import { ConvergeError } from '../errors/converge-error.ts'

/** Lines of a crontab between converge's marks. */
export function crontabBlock(name: string, lines: readonly string[]): string {
  return [beginOf(name), ...lines, endOf(name)].map((line) => `${line}\n`).join('')
}

/** The crontab with this block replaced or appended; everything else stays byte for byte. */
export function withBlock(crontab: string, name: string, block: string): string {
  const found = findBlock(crontab, name)
  if (found !== undefined) return crontab.slice(0, found.from) + block + crontab.slice(found.to)
  return crontab === '' || crontab.endsWith('\n') ? crontab + block : `${crontab}\n${block}`
}

/** The crontab without the block of that name; undefined: no such block. */
export function withoutBlock(crontab: string, name: string): string | undefined {
  const found = findBlock(crontab, name)
  return found === undefined ? undefined : crontab.slice(0, found.from) + crontab.slice(found.to)
}

/** Names of the blocks in a crontab. */
export function blockNames(crontab: string): readonly string[] {
  return [...crontab.matchAll(/^# converge: ([a-z0-9-]+) begin\s*$/gm)].map(([, name = '']) => name)
}

interface Span {
  readonly from: number
  /** After its last line. */
  readonly to: number
}

/** @throws ConvergeError `SCHEDULE.FOREIGN` if the marks were edited: the lines between may not be converge's */
function findBlock(crontab: string, name: string): Span | undefined {
  const begins = linesLike(crontab, beginOf(name))
  const ends = linesLike(crontab, endOf(name))
  const [begin] = begins
  const [end] = ends
  if (begin === undefined && end === undefined) return undefined
  if (begins.length === 1 && ends.length === 1 && begin !== undefined && end !== undefined && begin.from < end.from)
    return { from: begin.from, to: end.to }
  throw new ConvergeError('SCHEDULE.FOREIGN', {
    summary: 'The crontab entry was edited. Nothing was written.',
    why: `It contains \`${beginOf(name)}\` ${times(begins.length)} and \`${endOf(name)}\` ${times(ends.length)}: one of each is expected, in this order.`,
    next: ['Correct the two lines, or delete them with everything between:  crontab -e'],
  })
}

function linesLike(text: string, line: string): readonly Span[] {
  const spans: Span[] = []
  for (let from = 0; from < text.length; ) {
    const newline = text.indexOf('\n', from)
    const to = newline < 0 ? text.length : newline + 1
    if (text.slice(from, to).trimEnd() === line) spans.push({ from, to })
    from = to
  }
  return spans
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

function beginOf(name: string): string {
  return `# converge: ${name} begin`
}

function endOf(name: string): string {
  return `# converge: ${name} end`
}
