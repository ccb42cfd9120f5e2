import { globSync, readFileSync, statSync } from 'node:fs'
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sha256 } from '../../src/lib/digest.ts'

const root = join(import.meta.dirname, '../..')
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reproducible-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it('two builds in two folders are equal byte for byte', async () => {
  const builds = [await build(join(folder, 'here')), await build(join(folder, 'deep/er'))]
  expect(Object.keys(builds[0] ?? {}).length).toBeGreaterThan(100)
  expect(builds[1]).toEqual(builds[0])
})

/** A digest of each built file. */
async function build(checkout: string): Promise<Readonly<Record<string, string>>> {
  for (const name of ['docs/generate', 'packaging', 'src', 'schemas', 'simulation', 'package.json', 'esbuild.config.ts'])
    await cp(join(root, name), join(checkout, name), { recursive: true })
  await symlink(join(root, 'node_modules'), join(checkout, 'node_modules'))
  await execa(process.execPath, ['esbuild.config.ts'], { cwd: checkout })
  const dist = join(checkout, 'dist')
  const files = globSync('**', { cwd: dist }).filter((name) => statSync(join(dist, name)).isFile())
  return Object.fromEntries(files.toSorted().map((name) => [name, sha256(readFileSync(join(dist, name), 'latin1'))]))
}
