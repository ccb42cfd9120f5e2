import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { convergeHere } from '../support/converge-here.ts'
import { type FakeHub, startFakeHub } from '../support/fake-hub.ts'

const [first, second] = ['a1'.repeat(20), '12'.repeat(20)]
const gib = 1024 ** 3
const repos = {
  'org/coder': {
    at: { main: first, v1: second },
    files: { 'README.md': 900, 'coder-00001-of-00002.gguf': 2 * gib, 'coder-00002-of-00002.gguf': gib },
  },
  'org/flagship': { at: { main: second }, files: { 'flagship.gguf': gib / 2 } },
}

let folder: string
let hub: FakeHub
const at = (name: string) => join(folder, name)
const inventory = () => readFileSync(at('inventory/hosts.yaml'), 'utf8')

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pin-'))
  hub = await startFakeHub(repos, { token: 'hf_s3cret' })
  mkdirSync(at('inventory/group_vars'), { recursive: true })
  writeFileSync(
    at('inventory/group_vars/all.yaml'),
    `services:
  coder: # the same everywhere
    kind: A
    port: 9990
    model:
      path: /m/coder.gguf
      source:
        repo: org/coder
        hub: ${hub.url}
        token: { env: HUB_TOKEN }
`,
  )
  writeFileSync(
    at('inventory/hosts.yaml'),
    `all:
  hosts:
    nas: {}
    box:
      services:
        flagship: { kind: A, port: 9991, model: { path: /m/f.gguf, source: { repo: org/flagship, revision: main, hub: "${hub.url}", token: { env: HUB_TOKEN } } } }
        by-hand: { kind: A, port: 9992, model: { path: /m/h.gguf } }
`,
  )
})
afterEach(async () => {
  await hub[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

async function pin(...args: readonly string[]) {
  return pinWith({}, ...args)
}

async function pinWith(more: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const env = {
    ...more,
    PATH: process.env['PATH'],
    HOME: folder,
    NO_COLOR: '1',
    HUB_TOKEN: 'hf_s3cret',
    CONVERGE_STATE_DIR: at('state'),
  }
  const { code, ...said } = await convergeHere(['pin', '-i', at('inventory'), ...args], { env, cwd: folder })
  const [stdout, stderr] = [said.stdout, said.stderr].map((text) => text.replaceAll(`${folder}/`, '')) as [string, string]
  const output = `${stdout}\n${stderr}`.replaceAll(hub.url, 'http://HUB')
  expect(output).not.toContain('s3cret')
  return { code, output, stdout }
}

describe('converge pin', () => {
  test('writes the commit to the source, once for all services that share it', async () => {
    const { code, stdout } = await pin('-y')
    expect(stdout).toBe(`~ org/coder  main → ${first}  2 files, 3 GiB  (coder@nas, coder@box)
    inventory/group_vars/all.yaml:8
~ org/flagship  main → ${second}  one file, 512 MiB  (flagship@box)
    inventory/hosts.yaml:6
Written into 2 files.`)
    expect(code).toBe(0)
    expect(readFileSync(at('inventory/group_vars/all.yaml'), 'utf8')).toContain(
      `        repo: org/coder\n        revision: ${first}\n        hub:`,
    )
    expect(inventory()).toContain(`{ repo: org/flagship, revision: "${second}", hub:`)
    expect(hub.asked).toHaveLength(4)
    const again = await pin('-y', '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({
      schema: 'converge/pin/v1',
      pins: [],
      failures: [],
      pinned: 2,
      written: false,
    })
    expect(hub.asked).toHaveLength(4)
  })

  test('--check writes nothing, shows the change, and ends with 2', async () => {
    const before = inventory()
    const { code, output } = await pin('--check', '-s', 'flagship')
    expect(code).toBe(2)
    expect(output).toContain('    inventory/hosts.yaml:6')
    expect(output).not.toContain('by-hand')
    expect(output).not.toContain('org/coder')
    expect(inventory()).toBe(before)
  })

  test('asks no question without a terminal', async () => {
    const { code, output } = await pin()
    expect(code).toBe(64)
    expect(output).toContain('USAGE.CONFIRM')
    expect(output).toContain('converge pin -i inventory --check')
    expect(hub.asked).toEqual([])
  })

  test('--update moves what has a commit to where a branch is now', async () => {
    await pin('-y')
    const { code, output } = await pin('-y', '--update', 'v1', '-s', 'coder')
    expect(output).toContain(`~ org/coder  ${first.slice(0, 12)} → ${second}`)
    expect(code).toBe(0)
    expect((await pin('-y', '--update', '-s', 'coder')).output).toContain(`→ ${first}`)
  })

  test('what one hub does not say keeps no other from its commit', async () => {
    hub.behave({ status: 404 }, 'well')
    const { code, output } = await pin('-y')
    expect(code).toBe(4)
    expect(output).toContain('✗ HUB.ABSENT  org/coder at main  (coder@nas, coder@box)')
    expect(output).toContain('org/coder at main could not be looked up on http://HUB: it answered 404.')
    expect(output).toContain('Written into one file.')
  })

  test('a commit without the model is not written', async () => {
    const before = inventory()
    writeFileSync(at('inventory/hosts.yaml'), before.replace('repo: org/flagship,', "repo: org/flagship, files: ['*Q8*'],"))
    const { code, output } = await pin('-y', '-s', 'flagship')
    expect(code).toBe(4)
    expect(output).toContain(`✗ PIN.FILES  org/flagship at main  (flagship@box)\n  At ${second}, no file matches \`*Q8*\`.`)
    expect(inventory()).toContain('revision: main')
  })

  test('a commit is not written if it would be that of another repository', async () => {
    const base = `&base { repo: org/flagship, revision: main, hub: "${hub.url}", token: { env: HUB_TOKEN } }`
    writeFileSync(
      at('inventory/hosts.yaml'),
      `all:
  hosts:
    nas: { services: { flagship: ${serviceFrom(base)} } }
    box: { services: { flagship: ${serviceFrom('{ <<: *base, repo: org/none }')} } }
    attic: { services: { flagship: ${serviceFrom('*base')} } }
`,
    )
    const before = inventory()
    const { code, output } = await pin('-y', '--limit', 'nas', '-s', 'flagship')
    expect(output).toContain('✗ PIN.SHARED  org/flagship at main  (flagship@nas)')
    expect(output).toContain('also sets the revision of flagship@box')
    expect(code).toBe(4)
    expect(inventory()).toBe(before)
  })

  test('says whom else it is about', async () => {
    const { output } = await pin('--check', '--limit', 'nas')
    expect(output).toContain('(coder@nas, coder@box)')
  })

  test('sends a token for this machine to no proxy, and shows no password of a proxy', async () => {
    await using proxy = await startFakeHub({})
    expect((await pinWith({ HTTP_PROXY: proxy.url }, '--check')).code).toBe(2)
    expect(proxy.asked).toEqual([])
    writeFileSync(at('inventory/hosts.yaml'), inventory().replace(`hub: "${hub.url}", `, ''))
    const { code, output } = await pinWith({ HTTPS_PROXY: 'ftp://me:pr0xy-pw@proxy' }, '--check', '-s', 'flagship')
    expect(code).toBe(4)
    expect(output).toContain('HTTPS_PROXY is not a valid proxy address')
    expect(output).not.toContain('pr0xy')
  })

  test('a hub is not asked for an untrusted inventory', async () => {
    const { code, output } = await pin('-y', '--no-secret-commands')
    expect(code).toBe(64)
    expect(output).toContain('HUB.NOT_ASKED')
    expect(hub.asked).toEqual([])
  })

  test('keeps the mode of a file, and the link that leads to it', async () => {
    const real = at('elsewhere.yaml')
    writeFileSync(real, inventory())
    chmodSync(real, 0o640)
    rmSync(at('inventory/hosts.yaml'))
    symlinkSync(real, at('inventory/hosts.yaml'))
    expect((await pin('-y', '-s', 'flagship')).code).toBe(0)
    expect(statSync(real).mode & 0o777).toBe(0o640)
    expect(readFileSync(real, 'utf8')).toContain(second)
  })
})

function serviceFrom(source: string): string {
  return `{ kind: A, port: 9991, model: { path: /m/f.gguf, source: ${source} } }`
}
