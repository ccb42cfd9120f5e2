import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import type { SecretContext } from '../../src/inventory/secret-context.ts'
import { resolveSecret } from '../../src/load/resolve-secret.ts'
import type { SecretReference } from '../../src/model/fleet.ts'

// What a reference may cost: time, memory, and processes that stay.

const folder = mkdtempSync(join(tmpdir(), 'converge-bounded-'))
afterAll(() => rmSync(folder, { recursive: true }))

function context(more: Partial<SecretContext> = {}): SecretContext {
  return { env: { PATH: process.env['PATH'] }, cwd: folder, home: folder, ...more }
}

async function failure(reference: SecretReference, more?: Partial<SecretContext>): Promise<ConvergeError> {
  try {
    await resolveSecret(reference, context(more))
  } catch (error) {
    if (error instanceof ConvergeError) return error
    throw error
  }
  throw new Error('it could be opened')
}

function pipe(name: string): string {
  const path = join(folder, name)
  execFileSync('mkfifo', [path])
  return path
}

function alive(pid: number): boolean {
  try {
    // A zombie does not count.
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8')) && process.kill(pid, 0)
  } catch {
    return false
  }
}

/** A command that does something, starts a process, notes its pid, and goes on with something else. */
function starting(name: string, rest: string, before = ':'): { readonly command: readonly string[]; readonly pid: () => number } {
  const noted = join(folder, name)
  const command = ['sh', '-c', `${before}; sleep 300 >/dev/null & echo $! >"${noted}"; ${rest}`]
  return { command, pid: () => (existsSync(noted) ? Number(readFileSync(noted, 'utf8')) : 0) }
}

/** All that it needs in one file: a process of its own then starts in a third of the time. */
const bundle = join(folder, 'resolve-secret.mjs')
const entry = join(import.meta.dirname, '../../src/load/resolve-secret.ts')
beforeAll(() => build({ entryPoints: [entry], outfile: bundle, bundle: true, platform: 'node', format: 'esm' }))

const script =
  `import { resolveSecret } from '${bundle}'\n` +
  'const [command, terminal] = JSON.parse(process.argv[1])\n' +
  'const interrupt = new AbortController()\n' +
  "process.once('SIGINT', () => setTimeout(() => interrupt.abort(), 200))\n" +
  "const context = { env: process.env, cwd: '/', home: '/', signal: interrupt.signal, terminal }\n" +
  'await resolveSecret({ command }, context).catch((error) => console.log(error.name, error.why))\n'

/** By a process that leads a group, as a shell starts one: what it ends is its own. An interrupt reaches all of the group, as Ctrl-C. */
function asked(
  command: readonly string[],
  terminal: boolean,
): { readonly interrupt: () => void; readonly said: Promise<string> } {
  const words = ['--input-type=module', '-e', script, JSON.stringify([command, terminal])]
  const child = spawn(process.execPath, words, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  return {
    interrupt: () => process.kill(-(child.pid ?? 0), 'SIGINT'),
    said: new Promise((resolve) => child.once('close', () => resolve(said))),
  }
}

describe('another kind of file', () => {
  test.each([
    ['a named pipe', pipe('fifo')],
    ['a device without an end', '/dev/zero'],
    ['a terminal', '/dev/tty'],
  ])('is not read: %s', async (_, file) => {
    const { code, why } = await failure({ file })
    expect(code).toBe('SECRET.UNREADABLE')
    expect(why).toContain('it is not a regular file but')
  })

  test('is not read where the system makes its text while it is read', async () => {
    expect((await failure({ file: '/proc/self/environ' })).code).toBe('SECRET.EMPTY')
  })

  test('is not read as a vault password either', async () => {
    const env = { PATH: process.env['PATH'], ANSIBLE_VAULT_PASSWORD_FILE: pipe('vault-fifo') }
    expect((await failure({ vault: '$ANSIBLE_VAULT;1.1;AES256\n31' }, { env })).code).toBe('SECRET.UNREADABLE')
  })

  test('is read where a shell made it for this run, and its program takes a while', async () => {
    const handedOver =
      `import { resolveSecret } from '${bundle}'\n` +
      "const secret = await resolveSecret({ file: process.argv[1] }, { env: {}, cwd: '/', home: '/' })\nconsole.log(secret.reveal())\n"
    const words = 'exec "$0" --input-type=module -e "$1" <(sleep 0.3; echo sk-1; sleep 0.2)'
    expect(execFileSync('bash', ['-c', words, process.execPath, handedOver], { encoding: 'utf8' })).toBe('sk-1\n')
  })
})

describe('a command', () => {
  test('that prints without end is ended', async () => {
    const before = process.memoryUsage().rss
    const error = await failure({ command: ['cat', '/dev/zero'] })
    expect(error.why).toContain('printed more than 16 KiB')
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 ** 2)
  })

  describe.each([false, true])('with a terminal to ask at: %s', (terminal) => {
    test('is ended with what it started where it prints too much', async () => {
      const { command, pid } = starting(`much-${terminal}`, 'cat /dev/zero')
      expect(await asked(command, terminal).said).toContain('printed more than')
      await expect.poll(() => alive(pid())).toBe(false)
    })

    test('is ended with what it started at an interrupt, whatever it makes of signals', async () => {
      const { command, pid } = starting(`interrupt-${terminal}`, 'sleep 300', "trap '' INT TERM HUP")
      const { interrupt, said } = asked(command, terminal)
      await expect.poll(pid).toBeGreaterThan(0)
      interrupt()
      expect(await said).toContain('AbortError')
      await expect.poll(() => alive(pid())).toBe(false)
    })

    test('is ended with what lost its parent to the interrupt', async () => {
      const { command, pid } = starting(`orphan-${terminal}`, 'exec sleep 300')
      const { interrupt, said } = asked(['sh', '-c', '"$@" & sleep 300', 'sh', ...command], terminal)
      await expect.poll(pid).toBeGreaterThan(0)
      interrupt()
      expect(await said).toContain('AbortError')
      await expect.poll(() => alive(pid())).toBe(false)
    })
  })

  test('at a terminal leaves alone what the script that runs converge had started before', async () => {
    const other = starting('bystander', 'exit')
    const words = ['--input-type=module', '-e', script, JSON.stringify([['cat', '/dev/zero'], true])]
    const run = spawn('sh', ['-c', '"$1" "$2" "$3"; shift 3; "$@"', 'sh', ...other.command, process.execPath, ...words], {
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    await new Promise((resolve) => run.once('close', resolve))
    expect(alive(other.pid())).toBe(true)
    process.kill(other.pid())
  })

  test('that must not be started any more is not started', async () => {
    const mark = join(folder, 'begun')
    const signal = AbortSignal.abort()
    await expect(resolveSecret({ command: ['touch', mark] }, context({ signal }))).rejects.toThrow(/abort/iu)
    expect(existsSync(mark)).toBe(false)
  })

  test('that stands for a large file is no key', async () => {
    const path = join(folder, 'large')
    writeFileSync(path, 'x'.repeat(16 * 1024 + 1), { mode: 0o600 })
    expect((await failure({ command: ['cat', path] })).code).toBe('SECRET.COMMAND')
    expect((await failure({ file: path })).why).toContain('it is larger than 16 KiB')
  })
})
