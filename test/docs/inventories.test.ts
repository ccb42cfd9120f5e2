import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { loadInventory, loadPlaybook } from '../../src/load/load.ts'
import { judgeInventory } from '../../src/policy/judge-inventory.ts'

/** What a section shows of an inventory: each YAML block whose first line is a comment with the name of a file. */
interface Section {
  readonly name: string
  readonly files: ReadonlyMap<string, string>
}

const folder = mkdtempSync(join(tmpdir(), 'converge-docs-'))
afterAll(() => rmSync(folder, { recursive: true }))

const sections = globSync('docs/*.md').toSorted().flatMap(sectionsOf)
const playbooks = sections.flatMap(({ files }) => [...files].filter(([path]) => path.startsWith('playbooks/')))

describe('the inventory in', () => {
  test.each(sections)('$name is valid and refused by no rule', async ({ files }) => {
    const { fleet, warnings } = await loadInventory(written(files))
    expect(warnings).toEqual([])
    expect(fleet.hosts.flatMap(({ services }) => services)).not.toEqual([])
    expect(judgeInventory(fleet).flatMap(({ refusals }) => refusals.map(({ code, why }) => `${code} ${why}`))).toEqual([])
  })

  test('the pages are found', () => expect(sections.length).toBeGreaterThanOrEqual(10))
})

test.each(playbooks)('the playbook %s is valid', async (path, text) => {
  const file = join(mkdtempSync(join(folder, 'plays-')), basename(path))
  writeFileSync(file, text)
  const { plays, warnings } = await loadPlaybook(file)
  expect(warnings).toEqual([])
  expect(plays).not.toEqual([])
})

function sectionsOf(page: string): readonly Section[] {
  return readFileSync(page, 'utf8')
    .split(/^(?=##+ )/m)
    .map((section) => {
      const blocks = section.matchAll(/^```yaml\n# (?:~\/fleet\/)?([\w-]+(?:\/[\w-]+)?\.yaml)\n(.*?)^```$/gms)
      return {
        name: `${page}, ${section.split('\n')[0]}`,
        files: new Map([...blocks].map(([, path = '', text = '']) => [path, text])),
      }
    })
    .filter(({ files }) => [...files.keys()].some((path) => path.startsWith('host_vars/')))
}

/** Where the page shows no hosts, those of its files; where it shows a part of `coder`, the rest of it. */
function written(files: ReadonlyMap<string, string>): string {
  const inventory = mkdtempSync(join(folder, 'inventory-'))
  const hosts = [...files.keys()].flatMap((path) => /^host_vars\/(.*)\.yaml$/.exec(path)?.[1] ?? [])
  const isPart = ![...files.values()].join('').includes('kind:')
  const shared = isPart ? { services: { coder: { kind: 'A', port: 9990, model: { path: '/srv/models/coder.gguf' } } } } : {}
  const all = {
    vars: { platform: 'linux', fleet: { org: 'example' }, ...shared },
    hosts: Object.fromEntries(hosts.map((host) => [host, null])),
  }
  for (const [path, text] of new Map([['hosts.yaml', JSON.stringify({ all })], ...files])) {
    if (path.startsWith('playbooks/')) continue
    mkdirSync(join(inventory, dirname(path)), { recursive: true })
    writeFileSync(join(inventory, path), text)
  }
  return inventory
}
