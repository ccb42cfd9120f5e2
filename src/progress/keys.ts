// oxlint-disable-next-line no-control-regex -- keys are control characters
const oneKey = /\u001b\[[0-9;]*[A-Za-z~]|\u001bO[A-Za-z]|[^]/gu

const names: Readonly<Record<string, string>> = {
  '\u0003': 'interrupt',
  '\u001a': 'suspend',
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  k: 'up',
  '\u001b[B': 'down',
  '\u001bOB': 'down',
  j: 'down',
  '\u001b[5~': 'page-up',
  '\u001b[6~': 'page-down',
  ' ': 'page-down',
  '\u001b[H': 'home',
  '\u001bOH': 'home',
  '\u001b[1~': 'home',
  g: 'home',
  '\u001b[F': 'end',
  '\u001bOF': 'end',
  '\u001b[4~': 'end',
  G: 'end',
  '\u001b': 'escape',
}

/** The keys in what a terminal sent, which may be several. */
export function keysIn(text: string): readonly string[] {
  return (text.match(oneKey) ?? []).map((one) => (Object.hasOwn(names, one) ? (names[one] ?? one) : one))
}
