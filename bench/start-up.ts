import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { nodePackage } from '../packaging/paths.ts'
import { builtForms, type Forms } from './forms.ts'
import { measureInTurns, median, type Program } from './measure.ts'
import { table } from './table.ts'

/** `start-up.ts [RUNS]`: how long each form takes to start, beside a Node that does nothing; in turns, so that all see the same machine. */
const runs = Number(process.argv[2] ?? 31)
const base = 'node -e 0 (24)'
// The package's program is started with the Node of the project.
const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH']}` }
const scratch = mkdtempSync(join(tmpdir(), 'converge-start-'))
await using started = new AsyncDisposableStack()
started.defer(() => rmSync(scratch, { recursive: true }))
const forms = await builtForms(scratch, started)
const measured = await measureInTurns(
  {
    [base]: { words: [process.execPath, '-e', '0'] },
    'node -e 0 (26)': { words: [join(nodePackage, 'bin/node'), '-e', '0'] },
    ...withOption(forms, '--version'),
    ...withOption(forms, '--help'),
  },
  runs,
)
const middle = (name: string, figure: 'wall' | 'cpu') => median((measured.get(name) ?? []).map((one) => one[figure]))
const rows = [...measured.keys()].map((name) => {
  const [wall, cpu] = [middle(name, 'wall'), middle(name, 'cpu')]
  return [name, (wall * 1000).toFixed(0), (cpu * 1000).toFixed(0), (wall / middle(base, 'wall')).toFixed(2)]
})
console.log(table(['', 'wall, ms', 'CPU, ms', '× `node -e 0`'], rows))

function withOption(all: Forms, option: string): Readonly<Record<string, Program>> {
  return Object.fromEntries(Object.entries(all).map(([form, words]) => [`${form} ${option}`, { words: [...words, option], env }]))
}
