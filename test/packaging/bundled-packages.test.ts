import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { beforeAll, expect, it } from 'vitest'
import { bundled, demoEntries } from '../../packaging/bundle.ts'
import { homes } from '../architecture/homes.ts'

const root = join(import.meta.dirname, '../..')
/** Compiled into `src/generated/`, and so unseen by the bundler. */
const compiledIn = ['ajv', 'ajv-formats', 'fast-deep-equal']

/** The manifests of all packages of which the bundler put anything into the program. */
let manifests: readonly { readonly name: string; readonly version: string }[]
let names: readonly string[]

beforeAll(async () => {
  const entryPoints = { main: 'src/main.ts', ...demoEntries }
  const { metafile } = await build({ ...bundled, entryPoints, outdir: 'dist', splitting: true, write: false, metafile: true })
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs))
  const roots = inputs.filter((input) => input.includes('node_modules/')).map((input) => packageRoot(input))
  const folders = new Set([...roots, ...compiledIn.map((name) => `node_modules/${name}`)])
  manifests = [...folders].map((folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')))
  names = [...new Set(manifests.map(({ name }) => name))].toSorted()
})

it('have their licences in one file', () => {
  const text = readFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8')
  const chapters = text.split(/^-{80}\n/m).slice(1)
  const titled = chapters.map((chapter) => chapter.split(' (', 1)[0] ?? '')
  const expected = new Set(manifests.map(({ name, version }) => `${name} ${version}`))
  expect(titled.toSorted()).toEqual([...expected].toSorted())
  expect(chapters.filter((chapter) => !/copyright|public domain/i.test(chapter))).toEqual([])
})

it('are explained in docs/dependencies.md, and no others are', () => {
  const page = readFileSync(join(root, 'docs/dependencies.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `(\S+)` \| (.+) \| (.+) \|$/gm)]
  const own = rows.map(([, name = '']) => name)
  const brought = rows.flatMap(([, , , others = '']) => [...others.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
  expect([...own, ...brought].toSorted()).toEqual(names)
  expect(own).toEqual(names.filter((name) => name in homes))
})

it('are all, for the package depends on none', () => {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect({ dependencies, optionalDependencies }).toEqual({})
})

/** `node_modules/a/node_modules/@b/c` of a file somewhere below it. */
function packageRoot(file: string): string {
  const [found] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []
  if (found === undefined) throw new Error(`${file} is in no package`)
  return found
}
