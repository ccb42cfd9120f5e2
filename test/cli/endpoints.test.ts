import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { convergeHere, type Outcome } from '../support/converge-here.ts'

const root = join(import.meta.dirname, '../..')
const keys = { CODER_KEY: 'coder-s3cret', HELPER_KEY: 'helper-s3cret', FLAGSHIP_KEY: 'flagship-s3cret' }

describe('converge endpoints', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'converge-endpoints-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  function endpoints(args: readonly string[], env: Readonly<Record<string, string>> = keys): Promise<Outcome> {
    const state = { PATH: process.env['PATH'], CONVERGE_STATE_DIR: join(folder, 'state') }
    return convergeHere(['endpoints', '-i', 'inventories/home', ...args], { env: { ...state, ...env }, cwd: root })
  }

  it.each(['json', 'env', 'litellm', 'openwebui', 'continue', 'llama-swap'])(
    'writes %s with keys only where --out says, readable by this account alone',
    async (format) => {
      const file = join(folder, 'list')
      writeFileSync(file, 'older')
      chmodSync(file, 0o644)
      const outcome = await endpoints(['--format', format, '--with-keys', '--out', file])
      expect(outcome).toMatchObject({ code: 0, stdout: '' })
      expect(outcome.stderr).toContain('with their keys (mode 0600)')
      expect(statSync(file).mode & 0o777).toBe(0o600)
      for (const key of Object.values(keys)) {
        expect(readFileSync(file, 'utf8')).toContain(key)
        expect(outcome.stderr).not.toContain(key)
      }
    },
  )

  it('keeps a link, and writes the file behind it', async () => {
    const [file, link] = [join(folder, 'list'), join(folder, 'link')]
    writeFileSync(file, 'older')
    symlinkSync(file, link)
    expect(await endpoints(['--format', 'env', '--with-keys', '--out', link])).toMatchObject({ code: 0 })
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readFileSync(file, 'utf8')).toContain('coder-s3cret')
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['stdout', () => []],
    ['a device', () => ['--out', '/dev/null']],
    ['a folder', () => ['--out', folder]],
    ['a pipe', () => ['--out', pipeIn(folder)]],
    ['a folder of all accounts', () => ['--out', join(sharedFolder(folder), 'list')]],
    ['a file of another account', () => ['--out', ofAnotherAccount(join(folder, 'theirs'))]],
    ['the table', () => ['--format', 'text', '--out', join(folder, 'list')]],
  ])('writes no key to %s', async (_, where) => {
    const { code, stdout, stderr } = await endpoints(['--format', 'litellm', '--with-keys', ...where()])
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr).toMatch(/ENDPOINTS.KEYS|USAGE.OUTPUT_FILE/)
    expect(stderr).not.toContain('s3cret')
  })

  it('writes nothing if a key is missing, or the format cannot hold one', async () => {
    const file = join(folder, 'list')
    writeFileSync(file, 'older')
    const { FLAGSHIP_KEY: _, ...two } = keys
    const missing = await endpoints(['--format', 'env', '--with-keys', '--out', file], two)
    expect(missing).toMatchObject({ code: 4 })
    expect(missing.stderr).toContain('SECRET.MISSING')
    const unfit = await endpoints(['--format', 'openwebui', '--with-keys', '--out', file], { ...keys, CODER_KEY: 'coder;s3cret' })
    expect(unfit).toMatchObject({ code: 65 })
    expect(unfit.stderr).toContain('ENDPOINTS.UNFIT')
    expect(unfit.stderr).not.toContain('s3cret')
    expect(readFileSync(file, 'utf8')).toBe('older')
  })

  it('needs no key without --with-keys, and says the same to every pattern, file and pipe', async () => {
    const file = join(folder, 'list')
    const [one, other] = [
      await endpoints(['--format', 'litellm'], {}),
      await endpoints(['--format', 'litellm', '-l', 'box,nas,studio'], {}),
    ]
    expect(one).toMatchObject({ code: 0 })
    expect(one.stdout).toBe(other.stdout)
    expect(await endpoints(['--format', 'litellm', '--out', file], {})).toMatchObject({ code: 0, stdout: '' })
    expect(readFileSync(file, 'utf8').trimEnd()).toBe(one.stdout)
    expect(await endpoints(['--json'], {})).toMatchObject({ stdout: (await endpoints(['--format', 'json'], {})).stdout })
  })
})

function sharedFolder(folder: string): string {
  const shared = join(folder, 'shared')
  mkdirSync(shared)
  chmodSync(shared, 0o1777)
  return shared
}

function ofAnotherAccount(file: string): string {
  writeFileSync(file, '')
  chownSync(file, 12_345, 12_345)
  return file
}

function pipeIn(folder: string): string {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  return pipe
}
