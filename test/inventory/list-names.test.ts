import { existsSync, globSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { listNames } from '../../src/inventory/list-names.ts'
import { outlineOfText } from '../../src/inventory/outline-of-text.ts'
import { loadInventory } from '../../src/load/load.ts'
import { readInventoryTexts } from '../../src/load/read-names.ts'

const inventories = [
  'inventories/home',
  ...globSync('test/fixtures/{inventory/valid,ansible-inventories}/*/').toSorted(),
  ...globSync('test/fixtures/inventory/valid/*.yaml').toSorted(),
].map((path) => (existsSync(`${path}/inventory`) ? `${path}/inventory` : path))

async function namesIn(path: string) {
  return listNames(await readInventoryTexts(path, { isClosed: false }))
}

function namesOf(hosts: string, vars: Readonly<Record<string, string>> = {}) {
  return listNames({
    hosts: [{ path: 'hosts.yaml', text: hosts }],
    vars: Object.entries(vars).map(([owner, text]) => ({ path: `${owner}.yaml`, text, level: 'group' as const, owner })),
  })
}

describe('the names in an inventory', () => {
  test.each(inventories)('are those of the inventory itself: %s', async (path) => {
    const { fleet } = await loadInventory(path)
    const { hosts, groups } = await namesIn(path)
    expect(hosts.length).toBeGreaterThan(0)
    expect(hosts).toEqual(fleet.hosts.map(({ name, services }) => ({ name, services: services.map((service) => service.name) })))
    const withHosts = fleet.groups.filter((group) => group.hosts.length > 0)
    expect(new Set(groups.map(({ name, size }) => `${name} ${size}`))).toEqual(
      new Set(withHosts.map(({ name, hosts: members }) => `${name} ${members.length}`)),
    )
  })

  test('are found below an anchor, in braces, and in a file that is not valid otherwise', () => {
    const text = `
all:
  vars:
    services: &shared
      coder:
        port: 1
        nonsense: [
          a, b ]
  hosts:
    nas: { services: { <<: *shared, writer: { port: 2 } } }
    box:
      services: # of the box
        # the first
        flagship: { port: 3,
          kind: B }
        tuner: &tuner
          port: 4
        other: *tuner
      unknown_key: x
`
    expect(namesOf(text).hosts).toEqual([
      { name: 'nas', services: ['coder', 'writer'] },
      { name: 'box', services: ['coder', 'flagship', 'tuner', 'other'] },
    ])
  })

  test('include profiles', () => {
    const fleet = 'fleet: { profiles: { coding: { coder@mini: running }, "night $(x)": {} } }\n'
    expect(namesOf('all: { hosts: { nas: } }', { all: fleet }).profiles).toEqual(['coding'])
  })

  test('that have to be quoted, or could not be seen, are left out', () => {
    const strange = [
      'a b',
      'a\nb',
      "it's",
      '"',
      '$(touch x)',
      '`x`',
      '-n',
      'a;b',
      'a\u001b[31m',
      'a\u202eb',
      '\u0000',
      '..',
      '*',
      '\t',
      '',
    ]
    const keys = strange.map((name) => `${JSON.stringify(name)}: {}`).join(', ')
    const { hosts, groups } = namesOf(
      `all: { hosts: { nas: { services: { coder: {}, ${keys} } }, ${keys} }, children: { ${keys} } }`,
    )
    expect(hosts).toEqual([{ name: 'nas', services: ['coder'] }])
    expect(groups).toEqual([
      { name: 'all', size: 1 },
      { name: 'ungrouped', size: 1 },
    ])
  })

  test.each([
    ['no YAML', '\t{'],
    ['a text', 'hello'],
    ['a list', '- a\n- b'],
    ['an encrypted file', '$ANSIBLE_VAULT;1.1;AES256\n6161'],
    ['nothing', ''],
    ['numbers where maps belong', 'all: { hosts: 3, children: [1], vars: x }\n7: 8'],
    ['a circle', 'a: { children: { b: } }\nb: { children: { a: } }'],
  ])('are none in %s', (_, text) => expect(namesOf(text).hosts).toEqual([]))
})

test('settings are left out before a file is parsed', () => {
  const text = `a:
  ansible_host: 10.0.0.1
  motto: "two
    lines: x"
  services:
    coder:
      port: 1

    writer: {}
  next: [1]
services:
- x
`
  expect(outlineOfText(text)).toBe(`a:
  motto: "two
    lines: x"
  services:
    coder:
    writer: {}
  next: [1]
services:
- x
`)
})
