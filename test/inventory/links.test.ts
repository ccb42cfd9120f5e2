import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import type { LoadOptions } from '../../src/load/load.ts'
import { whyText } from '../support/why-text.ts'

vi.mock('../../src/load/read-source.ts', { spy: true })
// Files of tests share modules, and those that are loaded already know nothing of the spy.
vi.resetModules()
const { ConvergeError } = await import('../../src/errors/converge-error.ts')
const { loadInventory, loadPlaybook } = await import('../../src/load/load.ts')
const { readSource } = await import('../../src/load/read-source.ts')

// Links in an inventory, as an attacker may commit them to learn what is on the machine that reads it.

const root = mkdtempSync(join(tmpdir(), 'converge-links-'))
afterAll(() => rmSync(root, { recursive: true }))

let count = 0

/** A folder with these files and links (`-> target`) in it. */
function folderOf(entries: Readonly<Record<string, string>>): string {
  const folder = join(root, String((count += 1)))
  for (const [name, content] of Object.entries(entries)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    if (content.startsWith('-> ')) symlinkSync(content.slice(3), path)
    else writeFileSync(path, content)
  }
  return folder
}

async function refused(load: Promise<unknown>): Promise<InstanceType<typeof ConvergeError>> {
  try {
    await load
  } catch (error) {
    if (error instanceof ConvergeError) return error
    throw error
  }
  throw new Error('it is valid')
}

const hosts = { 'hosts.yaml': 'all: { hosts: { h1: , h2: } }\n' }
const closed: LoadOptions = { isClosed: true }
const secret = 'pa55-of-the-machine'

/** What may lie anywhere on a machine, as a link finds it. */
const strange = {
  'text of one line': secret,
  'text of many lines': `root:${secret}:0:0\ndaemon:${secret}:1:1\n`,
  'nearly YAML': `a: b\n  ${secret}: "\n`,
  'a list of settings': `[default]\n${secret} = x\n`,
  'a private key': `-----BEGIN KEY-----\n${secret}\n-----END KEY-----\n`,
  'bytes that are no text': `\xff${secret}`,
  'a tag': `!${secret} x`,
}

describe('a link out of the inventory', () => {
  test.each(Object.entries(strange))('shows nothing of its target: %s', async (_, content) => {
    const elsewhere = folderOf({ file: content })
    writeFileSync(join(elsewhere, 'file'), content, 'latin1')
    for (const [name, target] of [
      ['host_vars/h1.yaml', join(elsewhere, 'file')],
      ['group_vars/all/more.yaml', join(elsewhere, 'file')],
      ['more.yaml', join(elsewhere, 'file')],
    ] as const) {
      const error = await refused(loadInventory(folderOf({ ...hosts, [name]: `-> ${target}` })))
      expect(JSON.stringify([await whyText(error), error.issues])).not.toContain(secret)
      expect(await whyText(error)).toMatch(/is outside the inventory|is not valid UTF-8/)
    }
  })

  test('may share variables; their mistakes are reported without their lines', async () => {
    const shared = folderOf({ 'shared.yaml': `# shared\nservices: { coder: { prot: ${secret} } }\n` })
    const error = await refused(loadInventory(folderOf({ ...hosts, 'group_vars/all.yaml': `-> ${join(shared, 'shared.yaml')}` })))
    expect(await whyText(error)).toMatch(/group_vars\/all\.yaml:2:22\n {2}`prot` is not a key/)
    expect(JSON.stringify([await whyText(error), error.issues])).not.toContain(secret)
  })

  test.each([
    ['of a host', 'host_vars/h1.yaml', '/etc/passwd'],
    ['of a group', 'group_vars/all/x.yaml', '/etc/passwd'],
    ['among the hosts', 'more.yaml', '/etc/passwd'],
    ['to a folder', 'host_vars/h1', '/etc'],
    ['to a folder of folders', 'group_vars', '/etc'],
    ['to nowhere', 'host_vars/h1.yaml', '/nonexistent/file'],
    ['to what the parent has', 'host_vars/h1.yaml', '../../outside.yaml'],
  ])('is not followed where all is closed: %s', async (_, name, target) => {
    writeFileSync(join(root, 'outside.yaml'), 'ansible_port: 22\n')
    const error = await refused(loadInventory(folderOf({ ...hosts, [name]: `-> ${target}` }), closed))
    expect(error.issues.map(({ code }) => code)).toEqual(['INPUT.OUTSIDE'])
    expect(await whyText(error)).not.toContain(target)
  })

  test('is followed within it where all is closed', async () => {
    const folder = folderOf({ ...hosts, 'shared/x.yaml': 'ansible_port: 2222\n', 'host_vars/h1.yaml': '-> ../shared/x.yaml' })
    const { fleet } = await loadInventory(folder, closed)
    expect(fleet.hosts.map(({ connection }) => connection.port)).toEqual([2222, undefined])
  })
})

describe('a path that a person typed', () => {
  afterEach(() => vi.restoreAllMocks())

  test('may be a link, unless it came with foreign files', async () => {
    const real = folderOf(hosts)
    const plays = folderOf({ 'site.yaml': '- hosts: all\n' })
    const checkout = folderOf({
      fleet: `-> ${real}`,
      'fleet.yaml': `-> ${join(real, 'hosts.yaml')}`,
      'site.yaml': `-> ${join(plays, 'site.yaml')}`,
    })
    vi.spyOn(process, 'cwd').mockReturnValue(checkout)
    for (const name of ['fleet', 'fleet.yaml']) {
      const path = join(checkout, name)
      expect((await loadInventory(path)).fleet.hosts).toHaveLength(2)
      expect((await refused(loadInventory(path, closed))).issues.map(({ code }) => code)).toEqual(['INPUT.OUTSIDE'])
    }
    const playbook = join(checkout, 'site.yaml')
    expect((await loadPlaybook(playbook)).plays).toHaveLength(1)
    expect((await refused(loadPlaybook(playbook, closed))).issues.map(({ code }) => code)).toEqual(['INPUT.OUTSIDE'])
    expect((await loadInventory(real, closed)).fleet.hosts).toHaveLength(2)
  })
})

const big = (files: number) =>
  Object.fromEntries(Array.from({ length: files }, (_, index) => [`big/v${index}.yaml`, `v${index}: [${'x, '.repeat(100)}]\n`]))
const linksToBig = (hostCount: number) =>
  Object.fromEntries(Array.from({ length: hostCount }, (_, index) => [`host_vars/h${index}`, '-> ../big']))

describe('links in a circle', () => {
  test.each([1, 2, 4, 16])('are reported once each: %d', async (links) => {
    const loops = Object.fromEntries(Array.from({ length: links }, (_, index) => [`host_vars/x${index}`, '-> .']))
    const error = await refused(loadInventory(folderOf({ ...hosts, 'host_vars/h1.yaml': '', ...loops })))
    expect(error.issues).toHaveLength(links)
    expect(await whyText(error)).toContain('leads back to one of its parent folders')
  })

  test.each([1, 2, 4, 16])('deeper as well: %d', async (links) => {
    const loops = Object.fromEntries(Array.from({ length: links }, (_, index) => [`group_vars/all/x${index}`, '-> .']))
    const error = await refused(loadInventory(folderOf({ ...hosts, 'group_vars/all/v.yaml': '', ...loops })))
    expect(error.issues).toHaveLength(links)
  })

  test('and two that lead to each other', async () => {
    const links = { 'group_vars/all/a/to-b': '-> ../b', 'group_vars/all/b/to-a': '-> ../a' }
    expect((await refused(loadInventory(folderOf({ ...hosts, ...links })))).issues).toHaveLength(1)
  })

  test('a folder to which several groups lead is read for each of them, and once', async () => {
    const shared = {
      'shared/port.yaml': 'ansible_port: 2200\n',
      'host_vars/h1': '-> ../shared',
      'host_vars/h2/a': '-> ../../shared',
    }
    const folder = folderOf({ ...hosts, ...shared, 'host_vars/h2/b': '-> ../../shared' })
    const { fleet } = await loadInventory(folder)
    expect(fleet.hosts.map(({ connection }) => connection.port)).toEqual([2200, 2200])
  })

  test('a link to the whole machine ends', async () => {
    const folder = folderOf({ ...hosts, 'host_vars/h1': '-> /usr' })
    const began = performance.now()
    expect(await whyText(await refused(loadInventory(folder)))).toContain('More than 1000 folders of variables')
    // It took a minute while all that was found was read.
    expect(performance.now() - began).toBeLessThan(20_000)
  })

  test('a file to which many links lead is read once', async () => {
    vi.mocked(readSource).mockClear()
    const folder = folderOf({
      'hosts.yaml': 'all: { hosts: { "h[0:99]": } }\n',
      ...big(50),
      ...linksToBig(100),
      'big/port.yaml': 'ansible_port: 2200\n',
    })
    const { fleet } = await loadInventory(folder)
    expect(new Set(fleet.hosts.map(({ connection }) => connection.port))).toEqual(new Set([2200]))
    expect(readSource).toHaveBeenCalledTimes(52)
  })

  test('more files than any inventory has are an error, and none of them is read', async () => {
    vi.mocked(readSource).mockClear()
    const folder = folderOf({ 'hosts.yaml': 'all: { hosts: { "h[0:199]": } }\n', ...big(300), ...linksToBig(200) })
    const error = await refused(loadInventory(folder))
    expect(error.issues.map(({ code }) => code)).toEqual(['INPUT.UNREADABLE'])
    expect(await whyText(error)).toContain('More than 50000 files and folders of variables')
    expect(readSource).toHaveBeenCalledTimes(1)
  })

  test('a mistake in a file behind many links is reported once, and a name without a host for each link', async () => {
    const folder = folderOf({
      ...hosts,
      'big/a.yaml': 'services: { coder: { prot: 1 } }\n',
      'host_vars/h1': '-> ../big',
      'host_vars/h2': '-> ../big',
    })
    const folder2 = folderOf({ ...hosts, 'big/a.yaml': 'ram_gb: 1\n', 'host_vars/x1': '-> ../big', 'host_vars/x2': '-> ../big' })
    expect((await refused(loadInventory(folder))).issues).toHaveLength(1)
    const files = (await refused(loadInventory(folder2))).issues.map(({ at }) => at.file)
    expect(files).toEqual([join(folder2, 'host_vars/x1/a.yaml'), join(folder2, 'host_vars/x2/a.yaml')])
  })
})
