import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { convergeHere, type Outcome } from '../support/converge-here.ts'

const sh = promisify(execFile)
const root = process.cwd()
let home: string
const at = (...path: readonly string[]) => join(home, ...path)

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'converge-first-'))
  process.chdir(home)
  vi.stubEnv('HOME', home)
  vi.stubEnv('TMPDIR', home)
})
afterEach(() => {
  vi.unstubAllEnvs()
  process.chdir(root)
  rmSync(home, { recursive: true })
})

/** Without a terminal. */
async function init(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await converge(['init', ...args], env)
  return { exitCode: code, said: stdout + stderr }
}

function converge(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const around = { PATH: process.env['PATH'] ?? '', HOME: home, NO_COLOR: '1', CONVERGE_STATE_DIR: at('state'), ...env }
  return convergeHere(args, { env: around, cwd: home })
}

/** All that is there, but for what a test itself wrote. */
const left = () => readdirSync(home).filter((name) => name !== 'ssh_config')

const withConfig = (text: string): readonly string[] => {
  writeFileSync(at('ssh_config'), text)
  return ['--ssh-config', at('ssh_config')]
}

describe('an example', () => {
  test.each(['mac', 'nas', 'box'])('of a %s is where the next commands find it', async (machine) => {
    const { exitCode, said } = await init(['--example', machine, '-y'])
    expect(exitCode).toBe(0)
    expect(said).toMatch(/Written\.[^]*converge validate\n[^]*converge plan\n?$/)
    expect(await converge(['validate'])).toMatchObject({ code: 0 })
    expect(readdirSync(at('inventories/home')).toSorted()).toEqual(['.schemas', 'group_vars', 'host_vars', 'hosts.yaml'])
  })

  test('is in the folder that is named, which the next commands name', async () => {
    const { said } = await init(['--example', 'box', '-i', 'fleet', '-y'])
    expect(said).toContain('converge plan -i fleet')
    expect(existsSync(at('fleet/hosts.yaml'))).toBe(true)
  })

  test.each(['mini', '__proto__'])('is one of those that there are, not %s', async (machine) => {
    const { exitCode, said } = await init(['--example', machine, '-y'])
    expect({ exitCode, said }).toEqual({ exitCode: 64, said: expect.stringContaining('converge init --example nas') })
    expect(left()).toEqual([])
  })

  test('takes no hosts', async () => {
    expect(await init(['--example', 'box', 'nas', '-y'])).toMatchObject({ exitCode: 64 })
    expect(left()).toEqual([])
  })

  test('is not written without a yes', async () => {
    const { exitCode, said } = await init(['--example', 'box'])
    expect({ exitCode, said }).toEqual({ exitCode: 64, said: expect.stringContaining('converge init --example box -y') })
    expect(left()).toEqual([])
  })
})

describe('what exists', () => {
  test.each([
    ['an inventory where one is looked for', 'inventories/lab/hosts.yaml', [], 'converge adopt'],
    ['a folder with something in it', 'fleet/notes.txt', ['-i', 'fleet'], 'converge adopt -i fleet'],
    ['a file', 'fleet', ['-i', 'fleet'], 'converge adopt -i fleet'],
  ])('stays: %s', async (_, path, args, next) => {
    mkdirSync(join(at(path), '..'), { recursive: true })
    writeFileSync(at(path), 'mine\n')
    const before = left()
    const { exitCode, said } = await init(['--example', 'box', '-y', ...args])
    expect(exitCode).toBe(64)
    expect(said).toContain('INVENTORY.EXISTS')
    expect(said).toContain(next)
    expect(said).toContain('converge init --example box -y -i FOLDER')
    expect(left()).toEqual(before)
    expect(readFileSync(at(path), 'utf8')).toBe('mine\n')
  })

  test('does not matter if it is hidden, such as a repository without files', async () => {
    mkdirSync(at('fleet/.git'), { recursive: true })
    expect(await init(['--example', 'box', '-y', '-i', 'fleet'])).toMatchObject({ exitCode: 0 })
  })

  test('is named by $CONVERGE_INVENTORY as well', async () => {
    mkdirSync(at('fleet'))
    writeFileSync(at('fleet/hosts.yaml'), 'mine\n')
    const { said } = await init(['--example', 'box', '-y'], { CONVERGE_INVENTORY: 'fleet' })
    expect(said).toContain('INVENTORY.EXISTS')
  })
})

describe('all files are written, or none', () => {
  test('below a file', async () => {
    writeFileSync(at('file'), '')
    const { exitCode, said } = await init(['--example', 'box', '-y', '-i', 'file/fleet'])
    expect({ exitCode, said }).toEqual({ exitCode: 64, said: expect.stringContaining('file') })
    expect(left()).toEqual(['file'])
  })

  test('on a full disk', async () => {
    mkdirSync(at('disk'))
    await sh('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', at('disk')])
    try {
      const { exitCode, said } = await init(['--example', 'box', '-y', '-i', 'disk/fleet'])
      expect({ exitCode, said }).toEqual({
        exitCode: 64,
        said: expect.stringMatching(/USAGE.OUTPUT_FILE[^]*no space[^]*written/i),
      })
      expect(readdirSync(at('disk'))).toEqual([])
    } finally {
      await sh('umount', [at('disk')])
    }
  })
})

describe('hosts', () => {
  test.each(['a b', 'box: {}', '-oProxyCommand=touch', 'a\u001b[2Jb', 'all', '../box'])('cannot be named %j', async (name) => {
    const { exitCode, said } = await init(['-y', '--', name])
    expect({ exitCode, said }).toEqual({ exitCode: 64, said: expect.stringContaining('USAGE.COMMAND') })
    expect(said).not.toContain('\u001b')
    expect(left()).toEqual([])
  })

  test('cannot have one name', async () => {
    const { exitCode, said } = await init(['box', 'op@box', '-y'])
    expect({ exitCode, said }).toEqual({ exitCode: 64, said: expect.stringContaining('Two hosts have one name.') })
  })

  test('are those of the ssh config and the files that it includes, without a terminal to ask on', async () => {
    writeFileSync(at('more'), 'Host Shelf -odd "a b" $(x)\n')
    const config = withConfig(
      `Host nas.lan !old *.lan n?s\r\n  User op\r\nInclude ${at('more')}\nMatch host x\nHost nas.lan box\n`,
    )
    const { exitCode, said } = await init(config)
    expect(exitCode).toBe(64)
    expect(said).toContain('has these hosts: nas.lan, box, Shelf.')
    expect(said).toContain(`converge init nas.lan box Shelf -y`)
    expect(left()).toEqual(['more'])
  })

  test('are asked for if the ssh config has none', async () => {
    const { exitCode, said } = await init(withConfig('Host *\n  User op\n'))
    expect({ exitCode, said }).toEqual({ exitCode: 64, said: expect.stringContaining('converge init --example box') })
  })

  test('that cannot be reached make no inventory', async () => {
    const { exitCode, said } = await init([...withConfig('Host *\n  IdentityAgent none\n'), '127.0.0.1:1', '-y'])
    // Said on two outputs, in either order.
    expect({ exitCode, said }).toEqual({ exitCode: 4, said: expect.stringMatching(/CONNECT\./) })
    expect(said).toMatch(/^Nothing was written\.$/m)
    expect(left()).toEqual([])
  })
})
