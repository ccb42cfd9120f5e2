import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stableJson } from '../../src/lib/stable-json.ts'
import { loadInventory } from '../../src/load/load.ts'
import { renderIssues } from '../../src/load/render-issues.ts'
import type { Fleet, Host } from '../../src/model/fleet.ts'
import type { KeyedSource } from '../../src/model/source.ts'
import { noPaint } from '../../src/report/paint.ts'
import { fixtureCases } from './fixture-cases.ts'

const cases = fixtureCases('inventory/valid')

/** `fleet.json` in each folder is the normalised inventory, `warnings.txt` its warnings. */
describe('inventories that are valid', () => {
  test.each([...cases, home()])('$name', async ({ folder, input }) => {
    const { fleet, warnings } = await loadInventory(input)
    await expect(`${stableJson(shortened(fleet), 2)}\n`).toMatchFileSnapshot(resolve(join(folder, 'fleet.json')))
    await expect(`${await renderIssues(warnings, { paint: noPaint })}\n`).toMatchFileSnapshot(
      resolve(join(folder, 'warnings.txt')),
    )
  })

  test.each([60, 80, 100])('a line that is warned of fits %i columns, with the mark below what it is about', async (columns) => {
    const loaded = await Promise.all(cases.map(({ input }) => loadInventory(input)))
    const warnings = loaded.flatMap((one) => one.warnings).filter(({ excerpt }) => excerpt !== undefined)
    const pages = await Promise.all(warnings.map((one) => renderIssues([one], { paint: noPaint, columns })))
    const frames = pages.map((page) => page.split('\n').filter((line) => /^ {2}[> ] *\d* \|/.test(line)))
    expect(frames.flat().filter((line) => line.length > columns)).toEqual([])
    const marked = frames.map((lines) => {
      const [above = '', mark = ''] = lines.slice(-2)
      return above.slice(mark.indexOf('^'), mark.lastIndexOf('^') + 1)
    })
    const meant = warnings.map(({ excerpt }) =>
      excerpt?.lines.at(-1)?.slice(excerpt.from, Math.max(excerpt.to, excerpt.from + 1)),
    )
    expect(marked).toEqual(meant)
  })

  test('the example inventory gives no warnings', async () => {
    expect((await loadInventory('inventories/home')).warnings).toEqual([])
  })

  test('groups and hosts know each other', async () => {
    for (const { input } of [...cases, home()]) {
      const { fleet } = await loadInventory(input)
      for (const group of fleet.groups) expect(new Set(group.hosts)).toEqual(new Set(membersOf(fleet, group.name)))
    }
  })

  test('an inventory that says the same has the same digest, another one another', async () => {
    expect(await digestOfCase('digest-a')).toBe(await digestOfCase('digest-b'))
    const digests = await Promise.all(cases.filter(({ name }) => name !== 'digest-b').map(({ name }) => digestOfCase(name)))
    expect(new Set(digests).size).toBe(digests.length)
  })
})

/** The place of each key in one line. */
function shortened({ hosts, ...fleet }: Fleet): unknown {
  const withPlaces = hosts.map((host) => ({ ...withPlacesIn(host), services: host.services.map(withPlacesIn) }))
  return { ...withPlacesIn(fleet), hosts: withPlaces }
}

function withPlacesIn(one: { readonly source?: KeyedSource }): object {
  if (one.source === undefined) return one
  const keys = Object.entries(one.source.keys).map(([key, { file, line, column }]) => [key, `${file}:${line}:${column}`])
  return { ...one, source: { ...one.source, keys: Object.fromEntries(keys) } }
}

function membersOf(fleet: Fleet, group: string): readonly string[] {
  return fleet.hosts.filter((host: Host) => host.groups.includes(group)).map((host) => host.name)
}

function home() {
  return { name: 'inventories/home', folder: 'test/fixtures/inventory/home', input: 'inventories/home' }
}

async function digestOfCase(name: string): Promise<string> {
  const found = cases.find((one) => one.name === name)
  if (found === undefined) throw new Error(`there is no case ${name}`)
  return (await loadInventory(found.input)).fleet.digest
}
