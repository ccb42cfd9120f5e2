import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import type { convergeHere } from '../support/converge-here.ts'

const root = join(import.meta.dirname, '../..')

/** A copy of the project that was extended as `docs/extending.md` has it: by its files, its names and the registry lines, and nothing else. */
export interface ExtendedProject extends AsyncDisposable {
  readonly folder: string
  /** Its built command line. */
  readonly program: string
  /** The same in this process. */
  readonly here: typeof convergeHere
  /** What the compiler has against it; empty: nothing. */
  typeErrors(): Promise<string>
}

export async function extendProject(): Promise<ExtendedProject> {
  const folder = await mkdtemp(join(tmpdir(), 'extended-'))
  const config = ['package.json', 'tsconfig.json']
  for (const name of ['docs/generate', 'packaging', 'src', 'schemas', 'simulation', ...config])
    await cp(join(root, name), join(folder, name), { recursive: true })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  const here = join(folder, 'test/support/converge-here.ts')
  await cp(join(root, 'test/support/converge-here.ts'), here)
  await place('kind-c.ts', join(folder, 'src/servers/kind-c'))
  await place('runit.ts', join(folder, 'src/managers/runit'))
  await edit(join(folder, 'src/servers/index.ts'), [
    [/^/, "import { kindC } from './kind-c/kind-c.ts'\n"],
    [/ \}$/m, ', C: kindC }'],
  ])
  await edit(join(folder, 'src/managers/index.ts'), [
    [/^/, "import { runit } from './runit/runit.ts'\n"],
    [/ \}$/m, ', runit }'],
  ])
  await edit(join(folder, 'src/model/names.ts'), [
    [/(type ServerKindName = .*)/, "$1 | 'C'"],
    [/(type ManagerName = .*)/, "$1 | 'runit'"],
  ])
  await writeFile(join(folder, 'build.ts'), building)
  // What `npm run generate` does, without the form of the schemas, and what `npm run build` does, without the demo and the manual.
  for (const script of ['schemas/generate.ts', 'build.ts'])
    await execa(process.execPath, [script], { cwd: folder, env: rarelyCollecting })
  return {
    folder,
    program: join(folder, 'dist/main.js'),
    here: (await import(join(folder, 'dist/here.js'))).convergeHere,
    typeErrors: async () => {
      // One checker: several each look at the types of all packages for themselves.
      const { stdout } = await execa(join(root, 'node_modules/.bin/tsc'), ['--noEmit', '--checkers', '1'], {
        cwd: folder,
        env: rarelyCollecting,
        reject: false,
      })
      return stdout
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Of compiler and bundler, which are Go programs, half a second would go to collecting garbage. */
const rarelyCollecting = { GOGC: '400' }

/** The command line as a program, and for Vitest, which would look at a thousand of its sources one by one. */
const building = `import { build } from 'esbuild'
import { bundled } from './packaging/bundle.ts'
const entryPoints = { main: 'src/main.ts', here: 'test/support/converge-here.ts' }
await build({ ...bundled, entryPoints, outdir: 'dist', splitting: true, chunkNames: 'chunks/[name]-[hash]' })
`

/** As it would lie among the sources: its name is one of theirs, and it names its neighbours from there. */
async function place(file: string, folder: string): Promise<void> {
  await mkdir(folder)
  const text = await readFile(join(import.meta.dirname, file), 'utf8')
  await writeFile(join(folder, file), text.replaceAll("'../../src/", "'../../").replaceAll(/ as '\w+'$/gm, ' as const'))
}

async function edit(path: string, changes: readonly (readonly [RegExp, string])[]): Promise<void> {
  const before = await readFile(path, 'utf8')
  const after = changes.reduce((text, [pattern, by]) => text.replace(pattern, by), before)
  await writeFile(path, after)
}
