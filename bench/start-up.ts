import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodePackage } from '../packaging/paths.ts'
import { type Measured, measure } from './measure.ts'

/** `start-up.ts [RUNS]`: how long each form takes to start, beside a Node that does nothing; in turns, so that all see the same machine. */
const runs = Number(process.argv[2] ?? 31)
const node26 = join(nodePackage, 'bin/node')
const forms: Readonly<Record<string, readonly string[]>> = {
  'node -e 0 (24)': [process.execPath, '-e', '0'],
  'node -e 0 (26)': [node26, '-e', '0'],
  'dist --version': [process.execPath, 'dist/main.js', '--version'],
  'binary --version': ['build/converge', '--version'],
  'dist --help': [process.execPath, 'dist/main.js', '--help'],
  'binary --help': ['build/converge', '--help'],
}
const scratch = mkdtempSync(join(tmpdir(), 'converge-start-'))
const measured = new Map<string, Measured[]>(Object.keys(forms).map((name) => [name, []]))
try {
  for (let run = 0; run < runs; run += 1) {
    for (const [name, words] of Object.entries(forms)) {
      const one = measure(words, scratch)
      if (one.status !== 0) throw new Error(`${words.join(' ')} ended with ${one.status}`)
      measured.get(name)?.push(one)
    }
  }
} finally {
  rmSync(scratch, { recursive: true })
}
const middle = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0
const base = middle((measured.get('node -e 0 (24)') ?? []).map(({ wall }) => wall))
for (const [name, all] of measured) {
  const wall = middle(all.map((one) => one.wall))
  const cpu = middle(all.map((one) => one.cpu))
  console.log(
    `${name.padEnd(18)}${(wall * 1000).toFixed(0).padStart(5)} ms${(cpu * 1000).toFixed(0).padStart(6)} ms CPU   ${(wall / base).toFixed(2)} x`,
  )
}
