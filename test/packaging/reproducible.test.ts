import { globSync, readFileSync, statSync } from 'node:fs'
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sha256 } from '../../src/lib/digest.ts'
import type { VersionDocument } from '../../src/model/version-document.ts'

const root = join(import.meta.dirname, '../..')
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reproducible-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it('the build of this checkout and one in another folder are equal byte for byte', async () => {
  const here = digestsOf(join(root, 'dist'))
  expect(Object.keys(here).length).toBeGreaterThan(100)
  const { stdout } = await execa(process.execPath, [join(root, 'dist/main.js'), '--version', '--json'])
  const { commit }: VersionDocument = JSON.parse(stdout)
  expect(await build(join(folder, 'deep/er'), commit ?? ''), 'after `npm run build`').toEqual(here)
})

async function build(checkout: string, commit: string): Promise<Readonly<Record<string, string>>> {
  for (const name of [
    'docs/generate',
    'packaging',
    'src',
    'schemas',
    'simulation',
    'package.json',
    'tsconfig.json',
    'esbuild.config.ts',
  ])
    await cp(join(root, name), join(checkout, name), { recursive: true })
  await symlink(join(root, 'node_modules'), join(checkout, 'node_modules'))
  await execa(process.execPath, ['esbuild.config.ts'], { cwd: checkout, env: { CONVERGE_COMMIT: commit } })
  return digestsOf(join(checkout, 'dist'))
}

/** Of each built file. */
function digestsOf(dist: string): Readonly<Record<string, string>> {
  const files = globSync('**', { cwd: dist }).filter((name) => statSync(join(dist, name)).isFile())
  return Object.fromEntries(files.toSorted().map((name) => [name, sha256(readFileSync(join(dist, name), 'latin1'))]))
}
