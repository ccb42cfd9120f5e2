import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type NewServices, placeServices } from '../../src/inventory/place-services.ts'
import { loadInventory, loadInventoryFiles } from '../../src/load/load.ts'
import { writeEdits } from '../../src/run/write-edits.ts'
import { caseFiles } from '../support/case-files.ts'

interface PlaceCase {
  readonly case: string
  readonly files: Readonly<Record<string, string>>
  /** Absent: the folder. */
  readonly given?: string
  readonly host: string
  readonly becomes?: Readonly<Record<string, string>>
  readonly fault?: string
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'place-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(files: PlaceCase['files']): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    if (text.startsWith('-> ')) symlinkSync(text.slice(3), path)
    else writeFileSync(path, text)
  }
}

async function place(given: string, wanted: readonly NewServices[]) {
  const found = placeServices(await loadInventoryFiles(given), wanted)
  return 'why' in found ? { why: found.why.replaceAll(`${folder}/`, '') } : found
}

const b = { kind: 'A', port: 9990, model: { path: '/m/b.gguf' } }
const cases = caseFiles('inventory-places', '*.yaml').flatMap(({ text }) => parse(text) as readonly PlaceCase[])

test.each(cases.map((one) => [one.case, one] as const))('%s', async (_, { files, given = '.', host, becomes, fault }) => {
  write(files)
  const edits = await place(join(folder, given), [{ host, services: { b } }])
  const isFault = 'why' in edits
  const found = isFault ? edits : Object.fromEntries(edits.map(({ file, after }) => [relative(folder, file), after]))
  expect(found).toEqual(becomes ?? { why: fault })
  if (isFault) return
  const planned = await loadInventory(join(folder, given), { edits })
  await writeEdits(edits, { next: [] })
  const { fleet } = await loadInventory(join(folder, given))
  const hosts = fleet.hosts.filter(({ services }) => services.some(({ name }) => name === 'b'))
  const names = hosts.map(({ name }) => name)
  // oxlint-disable-next-line vitest/no-conditional-expect -- a fault ends here
  expect([names, planned.fleet]).toEqual([[host], fleet])
})

test('services of several hosts go into one file and into several', async () => {
  write({ 'hosts.yaml': 'all:\n  hosts:\n    nas:\n      services: {}\n    mini:\n    box:\n      services: {}\n' })
  const wanted = ['nas', 'mini', 'box'].map((host) => ({ host, services: { b }, comment: { b: [`found on ${host}`] } }))
  const edits = await place(folder, [...wanted, { host: 'mini', services: { c: { ...b, port: 9991 } } }])
  if ('why' in edits) throw new Error(edits.why)
  await writeEdits(edits, { next: [] })
  const { fleet } = await loadInventory(folder)
  expect(fleet.hosts.map(({ name, services }) => [name, ...services.map((service) => service.name)])).toEqual([
    ['nas', 'b'],
    ['mini', 'b', 'c'],
    ['box', 'b'],
  ])
  expect(edits.map(({ file }) => relative(folder, file))).toEqual(['hosts.yaml', 'host_vars/mini.yaml'])
  expect(readFileSync(join(folder, 'hosts.yaml'), 'utf8').match(/# .*/g)).toEqual(['# found on nas', '# found on box'])
})
