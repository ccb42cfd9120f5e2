import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { exampleInventory, examples } from '../../src/inventory/create/examples.ts'
import { type NewFiles, newInventory, nominalRam, orgOf } from '../../src/inventory/create/new-inventory.ts'
import { readTarget } from '../../src/inventory/create/target.ts'
import { loadInventory } from '../../src/load/load.ts'
import { judgeInventory } from '../../src/policy/judge-inventory.ts'

const folder = mkdtempSync(join(tmpdir(), 'converge-create-'))
afterAll(() => rmSync(folder, { recursive: true }))

function load(files: NewFiles): ReturnType<typeof loadInventory> {
  const inventory = mkdtempSync(join(folder, 'inventory-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(inventory, dirname(path)), { recursive: true })
    writeFileSync(join(inventory, path), text)
  }
  return loadInventory(inventory)
}

describe('a host for a new inventory', () => {
  test.each([
    ['nas', { name: 'nas' }],
    ['op@box', { name: 'box', user: 'op' }],
    ['box.lan:2222', { name: 'box.lan', port: 2222 }],
    ['nas=admin@192.0.2.7:22', { name: 'nas', address: '192.0.2.7', user: 'admin', port: 22 }],
    ['v6=[2001:db8::1]:2222', { name: 'v6', address: '2001:db8::1', port: 2222 }],
    ['2001:db8::1', { name: '2001:db8::1' }],
    ['localhost', { name: 'localhost' }],
  ])('is %s', (text, target) => expect(readTarget(text)).toEqual(target))

  test.each([
    '',
    '@',
    'op@',
    '-oProxyCommand=true',
    '-v@box',
    'a b',
    'a\nb',
    'a\u001b[2J',
    'box: {}',
    '{{ box }}',
    '../box',
    'box#1',
    'op@op@box',
    'n[01:03]',
    'all',
    'ungrouped',
    'all=op@box',
    '=box',
    'a=b=c',
    'nas[1:2]=box',
    'box:0',
    'box:70000',
  ])('is not %j', (text) => expect(readTarget(text)).toBeTypeOf('string'))
})

describe('the files of a new inventory', () => {
  const names = ['nas', 'no', 'null', '1.0', '0x10', '2026-01-01', '1_000', '2001:db8::1', 'NAS', 'ünter']

  test('have the names as they were given, whatever YAML makes of them', async () => {
    const { fleet, warnings } = await load(
      newInventory(
        names.map((name) => ({ name })),
        { org: 'ana' },
      ),
    )
    expect(fleet.hosts.map(({ name }) => name)).toEqual(names)
    expect(fleet.settings.org).toBe('ana')
    expect(warnings).toEqual([])
  })

  test('have what was seen', async () => {
    const hosts = [
      { name: 'box', user: 'op', port: 2222, address: '192.0.2.7', root: 'sudo', platform: 'linux', ramGb: 64 },
      { name: 'shelf', root: 'password' },
      { name: 'localhost' },
    ] as const
    const { fleet } = await load(newInventory(hosts, { org: 'ana', lowestPort: 8080 }))
    const [box, shelf, local] = fleet.hosts
    expect(box).toMatchObject({ platform: 'linux', ramGb: 64 })
    expect(box?.connection).toMatchObject({ user: 'op', port: 2222, address: '192.0.2.7', become: true })
    expect(shelf?.connection.become).toBe(false)
    expect(local?.connection.transport).toBe('local')
    expect(fleet.settings.ports.min).toBe(8080)
  })

  test('have an unreachable host as a comment, which may be uncommented', async () => {
    const gone = { name: 'gone', user: 'op', port: 2222, problem: 'CONNECT.REFUSED' }
    const files = newInventory([{ name: 'box' }, gone], { org: 'ana' })
    expect((await load(files)).fleet.hosts.map(({ name }) => name)).toEqual(['box'])
    const text = (files['hosts.yaml'] ?? '').replace(/^( *)# (gone:|  ansible_)/gm, '$1$2')
    expect((await load({ ...files, 'hosts.yaml': text })).fleet.hosts[1]?.connection).toMatchObject({ user: 'op', port: 2222 })
  })

  test('do not lower the port that services begin at without need', () => {
    expect(parse(newInventory([], { org: 'ana', lowestPort: 9997 })['group_vars/all.yaml'] ?? '')).toEqual({
      fleet: { org: 'ana' },
    })
  })
})

test.each(Object.entries(examples))('the example of a %s is valid, and no rule has anything to say', async (_, example) => {
  const { fleet, warnings } = await load(exampleInventory(example, 'ana'))
  expect(warnings).toEqual([])
  expect(fleet.hosts.flatMap(({ services }) => services)).toHaveLength(1)
  expect(judgeInventory(fleet).flatMap((verdict) => [...verdict.refusals, ...verdict.warnings].map(({ code }) => code))).toEqual(
    [],
  )
})

test.each([
  [62.6, 64],
  [31.3, 32],
  [15.5, 16],
  [7.6, 8],
  [3.8, 4],
  [503.5, 512],
  [94.2, 96],
  [33, 33],
  [64, 64],
  [0.01, 0.1],
])('%d GiB are those of a machine with %d', (found, nominal) => expect(nominalRam(found * 1024 ** 3)).toBe(nominal))

test.each([
  ['ana', 'ana'],
  ['Ana.Müller', 'ana-m-ller'],
  ['DOMAIN\\op', 'domain-op'],
  ['root', 'local'],
  ['--', 'local'],
])('the account %s makes the organisation %s', (account, org) => expect(orgOf(account)).toBe(org))
