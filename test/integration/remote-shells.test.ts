import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { flowOf } from '../../src/transports/remote/flow.ts'
import { type CommandInput, type RemoteCommand, remoteCommand } from '../../src/transports/remote/remote-command.ts'
import type { RemoteProcess } from '../../src/transports/remote/remote-process.ts'
import { type RunContext, runFramed } from '../../src/transports/remote/run-framed.ts'
import type { Watch } from '../../src/transports/watch.ts'
import { thorough } from '../support/series.ts'

/** The supervisor under every shell that hosts have as /bin/sh: dash (Debian), BusyBox ash (NAS, Alpine), bash (macOS, Fedora), and others. */
const shells = [['dash'], ['busybox', 'sh'], ['bash', '--posix'], ['zsh', '--emulate', 'sh'], ['ksh'], ['posh']].filter(
  ([name = '']) => (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(`${folder}/${name}`)),
)

const run = promisify(execFile)

interface Script {
  readonly args?: readonly string[]
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  readonly watch?: Watch
}

function exec(
  shell: readonly string[],
  text: string,
  { args = [], timeoutMs = 10_000, signal, watch }: Script = {},
): ReturnType<typeof runFramed> {
  const command = commandOf(text, { args, timeoutMs, ...(watch === undefined ? {} : { watch }) })
  const child = start(shell, command.words)
  const closed = new Promise<{ exitCode?: number; signal?: string }>((resolve) => {
    child.once('close', (code, ended) => resolve(code === null ? { signal: String(ended) } : { exitCode: code }))
  })
  const shellProcess: RemoteProcess = {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    flow: flowOf(child.stdout, child.stderr),
    closed,
    abandon: () => child.kill('SIGKILL'),
  }
  const endpoint = { host: 'here', at: 'here', sshCommand: 'sh' }
  const context: RunContext = {
    endpoint,
    label: 'a script',
    timeoutMs,
    redact: (out) => out,
    ...(signal === undefined ? {} : { signal }),
  }
  return runFramed(shellProcess, command, context)
}

function commandOf(text: string, more: Partial<CommandInput> = {}): RemoteCommand {
  const nonce = `n${Math.random().toString(36).slice(2)}`
  return remoteCommand({ text: [text], args: [], timeoutMs: 10_000, graceS: 60, nonce, ...more })
}

/** Sent and started, without a reader of its output. */
async function begun(
  shell: readonly string[],
  text: string,
  more: Partial<CommandInput>,
): Promise<ChildProcessWithoutNullStreams> {
  const command = commandOf(text, more)
  const child = start(shell, command.words)
  child.stdin.write(command.input)
  await once(child.stdout, 'data')
  return child
}

const saysYes: Watch = { tag: 'tried', script: '[ "$1" = yes ]', args: ['yes'] }

/** These words with this shell in the place of every /bin/sh, in a process group of its own as an SSH server gives it. */
function start(shell: readonly string[], words: readonly string[]): ChildProcessWithoutNullStreams {
  const [file = '', ...args] = words.flatMap((word) =>
    word === '/bin/sh' ? shell : [word.replaceAll('/bin/sh', shell.join(' '))],
  )
  return spawn(file, args, { detached: true })
}

async function isRunning(command: string): Promise<boolean> {
  const { stdout } = await run('ps', ['-A', '-o', 'args='], { maxBuffer: 1e8 })
  return stdout.split('\n').includes(command)
}

const named = (some: readonly (readonly string[])[]) => some.map((shell) => ({ name: shell[0], shell }))

test.each(named(shells.slice(1)))(
  'under $name a script ends by itself, out of time, unwatched or lost, with all it started',
  async ({ shell, name = '' }) => {
    const odd = name.length
    const args = ["it's", '$HOME', '', '`id`', 'two\nlines', '\\', '!', '*']
    const text = `set -eu; trap 'echo bye' EXIT; f() { printf '%s|' "$@"; echo "$#"; }; f "$@"; cat; echo err >&2; exit 9`
    const whole = await exec(shell, text, { args, watch: saysYes, timeoutMs: (8_500 + odd) * 1000 })
    expect(whole).toMatchObject({ stdout: `${args.join('|')}|8\nbye\n`, stderr: 'err\n', exitCode: 9 })
    expect(whole.unwatched).toBeUndefined()
    const stubborn = `trap '' TERM; sleep 9${odd}8 & sleep 9${odd}8; sleep 9${odd}8`
    expect(await exec(shell, stubborn, { timeoutMs: 400 })).toMatchObject({ timedOut: true, stdout: '' })
    const watch = { tag: 'tried', script: 'seen=$((${seen:-0} + 1)); [ "$seen" -lt "$1" ] || return 1', args: ['2'] }
    const unwatched = await exec(shell, `echo begun; sleep 9${odd}8 & sleep 9${odd}8; echo never`, { watch })
    expect(unwatched).toMatchObject({ unwatched: true, exitCode: undefined, timedOut: false, stdout: 'begun\n' })
    const lost = await begun(shell, `sleep 9${odd}8`, { graceS: 0 })
    lost.stdin.destroy()
    await expect.poll(() => isRunning(`sleep 9${odd}8`)).toBe(false)
    await expect.poll(() => isRunning(`sleep ${8_500 + odd + 5}`)).toBe(false)
  },
)

describe.each(named(thorough(shells)))('under $name', ({ shell, name }) => {
  const odd = name === undefined ? 0 : name.length

  test('a script gets its arguments and no input, and is read whole before it runs', async () => {
    const text = `printf '%s|' "$@"; echo "$#"; cat; echo err >&2; exit 9`
    const args = ["it's", '$HOME', '', '`id`', 'two\nlines', '\\', '!', '*']
    expect(await exec(shell, text, { args })).toMatchObject({ stdout: `${args.join('|')}|8\n`, stderr: 'err\n', exitCode: 9 })
  })

  test('set -e, traps and functions of a script are its own', async () => {
    const text = `set -eu; trap 'echo bye' EXIT; f() { echo "$1"; }; f one; false; echo never`
    expect(await exec(shell, text)).toMatchObject({ stdout: 'one\nbye\n', exitCode: 1 })
  })

  test('a script that runs out of time ends with all it started', async () => {
    const seconds = `9${odd}1`
    expect(await exec(shell, `sleep ${seconds} & sleep ${seconds}; echo never`, { timeoutMs: 400 })).toMatchObject({
      timedOut: true,
      stdout: '',
    })
    await expect.poll(() => isRunning(`sleep ${seconds}`)).toBe(false)
  })

  test('a script that ignores TERM ends too', async () => {
    const seconds = `9${odd}2`
    const result = await exec(shell, `trap '' TERM; sleep ${seconds}; sleep ${seconds}`, { timeoutMs: 400 })
    expect(result).toMatchObject({ timedOut: true })
    await expect.poll(() => isRunning(`sleep ${seconds}`)).toBe(false)
  })

  test('an abort ends it', async () => {
    const seconds = `9${odd}3`
    const abort = new AbortController()
    const running = exec(shell, `sleep ${seconds}`, { signal: abort.signal })
    await expect.poll(() => isRunning(`sleep ${seconds}`)).toBe(true)
    abort.abort(new Error('enough'))
    await expect(running).rejects.toThrow('enough')
    await expect.poll(() => isRunning(`sleep ${seconds}`)).toBe(false)
  })

  test('quick scripts leave no timer behind', async () => {
    const timeoutMs = (8_000 + odd * 10) * 1000
    for (let n = 0; n < 30; n++) expect(await exec(shell, 'true', { timeoutMs })).toMatchObject({ exitCode: 0 })
    await expect.poll(() => isRunning(`sleep ${timeoutMs / 1000 + 5}`)).toBe(false)
  })

  test('a disconnected script is ended after its grace period, but not a process that left its group', async () => {
    const [own, detached] = [`9${odd}4`, `9${odd}5`]
    const lost = await begun(shell, `setsid sleep ${detached} & sleep ${own}; echo never`, { graceS: 12 })
    await expect.poll(() => isRunning(`sleep ${own}`)).toBe(true)
    lost.stdin.destroy()
    await sleep(1_000)
    expect(await isRunning(`sleep ${own}`)).toBe(true)
    await expect.poll(() => isRunning(`sleep ${own}`)).toBe(false)
    expect(await isRunning(`sleep ${detached}`)).toBe(true)
    await run('pkill', ['-f', `^sleep ${detached}$`])
  })

  test('a read-only script is ended as soon as its connection is gone', async () => {
    const seconds = `9${odd}6`
    const lost = await begun(shell, `sleep ${seconds}`, { graceS: 0 })
    await expect.poll(() => isRunning(`sleep ${seconds}`)).toBe(true)
    lost.stdin.destroy()
    await expect.poll(() => isRunning(`sleep ${seconds}`)).toBe(false)
  })

  test('what ends within its grace ends by itself, and no watcher of ours stays behind', async () => {
    const [graceS, timeoutMs] = [7_000 + odd, (7_100 + odd) * 1000]
    const file = join(tmpdir(), `converge-grace-${process.pid}-${odd}`)
    const lost = await begun(shell, `sleep 1; echo whole >"$1"`, { args: [file], graceS, timeoutMs, watch: saysYes })
    lost.stdin.destroy()
    await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toBe('whole\n')
    await rm(file)
    for (const left of [graceS, timeoutMs / 1000 + 5]) await expect.poll(() => isRunning(`sleep ${left}`)).toBe(false)
  })

  test('a watch that says no ends it, and what the watch sets stays set', async () => {
    const seconds = `9${odd}7`
    const watch = { tag: 'tried', script: 'seen=$((${seen:-0} + 1)); [ "$seen" -lt "$1" ] || return 1', args: ['2'] }
    const result = await exec(shell, `echo begun; sleep ${seconds} & sleep ${seconds}; echo never`, { watch })
    expect(result).toMatchObject({ unwatched: true, exitCode: undefined, timedOut: false, stdout: 'begun\n' })
    expect(result.ms).toBeGreaterThan(3_500)
    await expect.poll(() => isRunning(`sleep ${seconds}`)).toBe(false)
  })

  test('a watch that says yes changes nothing and leaves nothing', async () => {
    for (let n = 0; n < 10; n++) {
      const result = await exec(shell, 'echo out; echo err >&2; exit 3', { watch: saysYes })
      expect(result).toMatchObject({ stdout: 'out\n', stderr: 'err\n', exitCode: 3 })
      expect(result.unwatched).toBeUndefined()
    }
  })

  test('half a script does nothing', async () => {
    const command = commandOf('echo danger >&2')
    const { length } = command.input
    for (const cut of [1, Math.floor(length / 3), Math.floor(length / 2), length - 40, length - 2]) {
      const child = start(shell, command.words)
      const said: string[] = []
      child.stderr.on('data', (chunk) => said.push(String(chunk)))
      child.stdin.end(command.input.subarray(0, cut))
      await once(child, 'close')
      expect(said.join('')).not.toContain('danger')
      expect(child.exitCode).not.toBe(0)
    }
  })
})
