import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { remoteCommand } from '../../src/transports/remote/remote-command.ts'
import type { RemoteProcess } from '../../src/transports/remote/remote-process.ts'
import { type RunContext, runFramed } from '../../src/transports/remote/run-framed.ts'

/** The supervisor under every shell that hosts have as /bin/sh: dash (Debian), BusyBox ash (NAS, Alpine), bash (macOS, Fedora), and others. */
const shells = [['dash'], ['busybox', 'sh'], ['bash', '--posix'], ['zsh', '--emulate', 'sh'], ['ksh'], ['posh']].filter(
  ([name = '']) => (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(`${folder}/${name}`)),
)

const run = promisify(execFile)

interface Script {
  readonly args?: readonly string[]
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

function exec(
  shell: readonly string[],
  text: string,
  { args = [], timeoutMs = 10_000, signal }: Script = {},
): ReturnType<typeof runFramed> {
  const command = remoteCommand({ text: [text], args, timeoutMs, nonce: `n${Math.random().toString(36).slice(2)}` })
  const child = start(shell, command.words)
  const closed = new Promise<{ exitCode?: number; signal?: string }>((resolve) => {
    child.once('close', (code, ended) => resolve(code === null ? { signal: String(ended) } : { exitCode: code }))
  })
  const shellProcess: RemoteProcess = {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    closed,
    abandon: () => child.kill('SIGKILL'),
  }
  const place = { host: 'here', at: 'here', sshCommand: 'sh' }
  const context: RunContext = {
    place,
    label: 'a script',
    timeoutMs,
    redact: (out) => out,
    ...(signal === undefined ? {} : { signal }),
  }
  return runFramed(shellProcess, command, context)
}

/** These words with this shell in the place of every /bin/sh, in a process group of its own as an SSH server gives it. */
function start(shell: readonly string[], words: readonly string[]): ChildProcessWithoutNullStreams {
  const [file = '', ...args] = words.flatMap((word) =>
    word === '/bin/sh' ? shell : [word.replaceAll('/bin/sh', shell.join(' '))],
  )
  return spawn(file, args, { detached: true })
}

async function isRunning(command: string): Promise<boolean> {
  const { stdout } = await run('ps', ['-A', '-o', 'args='])
  return stdout.split('\n').includes(command)
}

describe.each(shells.map((shell) => ({ name: shell[0], shell })))('under $name', ({ shell, name }) => {
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

  test('half a script does nothing', async () => {
    const command = remoteCommand({ text: ['echo danger >&2'], args: [], timeoutMs: 5_000, nonce: 'n0' })
    const { length } = command.input
    for (const cut of [1, Math.floor(length / 3), Math.floor(length / 2), length - 40, length - 2]) {
      const child = start(shell, command.words)
      const said: string[] = []
      child.stderr.on('data', (chunk) => said.push(String(chunk)))
      child.stdin.end(command.input.slice(0, cut))
      await once(child, 'close')
      expect(said.join('')).not.toContain('danger')
      expect(child.exitCode).not.toBe(0)
    }
  })
})
