import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { nodePackage } from '../packaging/paths.ts'
import { builtForms, type Forms } from './forms.ts'
import { type Measured, measure } from './measure.ts'

/** `start-up.ts [RUNS]`: how long each form takes to start, beside a Node that does nothing; in turns, so that all see the same machine. */
const runs = Number(process.argv[2] ?? 31)
const base = 'node -e 0 (24)'
// The package's program is started with the Node of the project.
const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH']}` }
const scratch = mkdtempSync(join(tmpdir(), 'converge-start-'))
await using started = new AsyncDisposableStack()
started.defer(() => rmSync(scratch, { recursive: true }))
const forms = await builtForms(scratch, started)
const measured = measureInTurns({
  [base]: [process.execPath, '-e', '0'],
  'node -e 0 (26)': [join(nodePackage, 'bin/node'), '-e', '0'],
  ...withOption(forms, '--version'),
  ...withOption(forms, '--help'),
})
const wallOf = (name: string) => middle((measured.get(name) ?? []).map(({ wall }) => wall))
console.log(`| | wall, ms | CPU, ms | × \`node -e 0\` |\n|---|---:|---:|---:|`)
for (const [name, all] of measured) {
  const cpu = middle(all.map((one) => one.cpu))
  const [ms, cpuMs] = [wallOf(name), cpu].map((seconds) => (seconds * 1000).toFixed(0))
  console.log(`| ${name} | ${ms} | ${cpuMs} | ${(wallOf(name) / wallOf(base)).toFixed(2)} |`)
}

function withOption(all: Forms, option: string): Forms {
  return Object.fromEntries(Object.entries(all).map(([form, words]) => [`${form} ${option}`, [...words, option]]))
}

function measureInTurns(all: Forms): ReadonlyMap<string, readonly Measured[]> {
  const found = new Map<string, Measured[]>(Object.keys(all).map((name) => [name, []]))
  for (let run = 0; run < runs; run += 1) {
    for (const [name, words] of Object.entries(all)) {
      const one = measure(words, scratch, env)
      if (one.status !== 0) throw new Error(`${words.join(' ')} ended with ${one.status}`)
      found.get(name)?.push(one)
    }
  }
  return found
}

function middle(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0
}
