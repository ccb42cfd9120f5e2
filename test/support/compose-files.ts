import * as fc from 'fast-check'

/** A compose file that a person could have written, in its parts. */
export interface GivenFile {
  /** Up to the service `llama`. */
  readonly head: string
  /** Its lines; empty: it is not there. */
  readonly block: string
  readonly tail: string
  /** How many other services it has. */
  readonly others: number
  readonly lineEnd: '\n' | '\r\n'
  /** Whether its last line has a line end. */
  readonly ends: boolean
}

const heads = fc.constantFrom(
  'services:\n',
  '# all of them\nversion: "3.8"\n\nservices:   # here\n',
  'x-base: &base { restart: always }\nname: ai\nservices:\n\n',
)
const others = fc.constantFrom(
  ['db:', '  image: db', '  environment:', '    API_KEY: secret-1'],
  ['"web":', '  image: x   # pinned', '  labels:', '  - mode=0644', ''],
  ['# the page', 'page:', '    image: "y"', '    command: >', '      a', '      b', ''],
  ['cache: { image: z, user: 0x10 }'],
)
const blocks = fc.constantFrom(
  ['llama:', '  image: l', '  ports: ["9990:8080"]'],
  ['"llama":   # mine', '    image: l', '    # old: 1', '    environment:', '    - A_TOKEN=secret-2'],
  ['llama: { image: l }'],
  ['llama:', '  image: l', '  command: |', '    -m x', '      # not a comment', '  # at the end'],
  [],
)
const ends = fc.constantFrom('', 'volumes:\n  data: {}\n', '# the end\nnetworks:\n  default: { name: ai }\n', '...\n')

export const givenFiles: fc.Arbitrary<GivenFile> = fc
  .record({
    above: heads,
    before: fc.array(others, { maxLength: 2 }),
    block: blocks,
    after: fc.array(others, { maxLength: 2 }),
    below: ends,
    step: fc.integer({ min: 1, max: 5 }),
    lineEnd: fc.constantFrom('\n' as const, '\n' as const, '\r\n' as const),
    isClosed: fc.boolean(),
  })
  .map(({ above, before, block, after, below, step, lineEnd, isClosed }) => {
    const services = (all: readonly (readonly string[])[], from: number) =>
      all.map((lines, index) => indented(numbered(lines, from + index), step)).join('')
    return {
      head: above + services(before, 0),
      block: indented(block, step),
      tail: services(after, before.length) + below,
      others: before.length + after.length,
      lineEnd,
      ends: isClosed,
    }
  })

export function textOf({ lineEnd, ends: isClosed, ...given }: GivenFile): string {
  const text = (given.head + given.block + given.tail).replaceAll('\n', lineEnd)
  return isClosed ? text : text.replace(/\r?\n$/, '')
}

/** Every service has a name of its own. */
function numbered(lines: readonly string[], index: number): readonly string[] {
  return lines.map((line) => line.replace(/^("?)(\w+)("?):/, `$1$2${index}$3:`))
}

function indented(lines: readonly string[], step: number): string {
  return lines.map((line) => (line === '' ? '\n' : `${' '.repeat(step)}${line}\n`)).join('')
}
