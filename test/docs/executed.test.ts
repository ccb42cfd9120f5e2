import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { wrapProse } from '../../src/context/wrap-prose.ts'
import { type DocsFleet, startDocsFleet } from '../support/docs-fleet.ts'

/**
 * Blocks of the pages that are marked in the line of their fence: `sh demo` is run, `console demo` is run and its output compared, with `exit=3`
 * behind it where it does not end with 0. An output with a line `…` is an excerpt. The inventory is that of the tutorial; all pages but the
 * README show what its `apply` left on the hosts.
 *
 * `RECORD=1 vitest run test/docs/executed.test.ts` writes the outputs anew, but for excerpts; read the difference before you commit it.
 */
const first = ['README.md', 'docs/tutorial.md'].flatMap(blocksOf)
const applied = first.findIndex(({ command }) => command.startsWith('converge apply'))
const others = globSync('docs/*.md')
  .filter((page) => page !== 'docs/tutorial.md')
  .flatMap(blocksOf)
const isRecording = process.env['RECORD'] === '1'
const columns = 100
/** A line that stands for what an excerpt leaves out. */
const excerpt = /^ *…\n/m

interface Block {
  readonly page: string
  readonly command: string
  /** As it stands in the page. */
  readonly whole: string
  readonly fence: string
  readonly kind: 'sh' | 'console'
  readonly exit: number
  readonly text: string
}

const files = [...readFileSync('docs/tutorial.md', 'utf8').matchAll(/^```yaml\n# ~\/(\S+)\n(.*?)^```$/gms)]
let fleet: DocsFleet

beforeAll(async () => {
  fleet = await startDocsFleet()
  vi.stubEnv('HOME', fleet.home)
  for (const [, path = '', text = ''] of files) fleet.write(path, text)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await fleet[Symbol.asyncDispose]()
})

describe.concurrent('before the apply of the tutorial', () => {
  test.each(first.slice(0, applied))('$page: $command', check)
})

test.each(first.slice(applied, applied + 1))('$page: $command', check)

describe.concurrent('after it', () => {
  test.each([...first.slice(applied + 1), ...others])('$page: $command', check)
})

test('the blocks are found', () => {
  expect(files.length).toBe(4)
  expect([first.length, others.length].every((count) => count >= 6)).toBe(true)
})

async function check(block: Block): Promise<void> {
  const { exit, out, err } = await fleet.run(block.kind === 'sh' ? block.text : block.command)
  expect({ exit, err }).toEqual({ exit: block.exit, err })
  const shown = wrapProse(out, columns).trimEnd()
  if (isRecording) record(block, shown)
  const { seen, expected } = compared(block, shown)
  expect(seen).toEqual(expected)
}

/** Of an excerpt, those of its pieces that are in the output. */
function compared({ kind, text }: Block, shown: string): Readonly<Record<'seen' | 'expected', readonly string[]>> {
  if (kind === 'sh' || isRecording) return { seen: [], expected: [] }
  const expected = text
    .slice(text.indexOf('\n') + 1)
    .split(excerpt)
    .map(masked)
  const all = masked(shown)
  return { expected, seen: expected.length === 1 ? [all] : expected.filter((piece) => all.includes(piece)) }
}

function blocksOf(page: string): readonly Block[] {
  const found = readFileSync(page, 'utf8').matchAll(/^(```(sh|console) demo(?: exit=(\d+))?)\n(.*?)^```$/gms)
  return [...found].map(([whole, fence = '', kind, exit = '0', text = '']) => ({
    page,
    command: text.split('\n', 1).join('').replace(/^\$ /, ''),
    whole,
    fence,
    kind: kind === 'sh' ? 'sh' : 'console',
    exit: Number(exit),
    text,
  }))
}

/** Times, sizes, pids and digests differ; so do the widths of columns, and where lines break. */
function masked(text: string): string {
  return text
    .replaceAll(/sha256 [0-9a-f]+/g, 'sha256 #')
    .replaceAll(/\b\d+(?:\.\d+)? ?(?:ms|s|[MG]iB)?\b/g, '#')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function record(block: Block, shown: string): void {
  if (block.kind === 'sh' || excerpt.test(block.text)) return
  const page = readFileSync(block.page, 'utf8')
  writeFileSync(
    block.page,
    page.replace(block.whole, () => `${block.fence}\n$ ${block.command}\n${shown}\n\`\`\``),
  )
}
