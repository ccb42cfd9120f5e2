import { randomUUID } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Answer, launchctl } from './launchctl.ts'
import { codes, Launchd, type LaunchdSettings } from './launchd.ts'
import { type Machine, tools } from './system-tools.ts'

export interface MacOptions
  extends Partial<Pick<LaunchdSettings, 'consoleUser' | 'session' | 'pendsOverSsh' | 'pace' | 'disabledCode'>> {
  readonly machine?: Partial<Omit<Machine, 'uid' | 'user'>>
}

/** A Mac without the Mac: a home, the tools that converge calls, and a launchd that supervises real processes. */
export interface Mac extends AsyncDisposable {
  readonly user: string
  readonly home: string
  /** A Kind A program in the home; beside it `PROGRAM.knobs.json` is read at each start. */
  readonly llamaServer: string
  readonly launchd: Launchd
  readonly machine: Machine
  /** For a shell on it: the tools come before this machine's own. */
  readonly environment: Readonly<Record<string, string>>
  /** Counts a process that somebody else started among this Mac's. */
  adopt(pid: number): void
}

const gibibyte = 1024 ** 3
const user = 'op'
const uid = 501

export async function startMac(options: MacOptions = {}): Promise<Mac> {
  const folder = await mkdtemp(join(tmpdir(), 'mac-'))
  const home = join(folder, 'Users', user)
  for (const path of ['Library/LaunchAgents', 'Library/Logs']) await mkdir(join(home, path), { recursive: true })
  const machine: Machine = {
    hostname: 'studio.lan',
    version: '26.3',
    arch: 'arm64',
    memoryBytes: 32 * gibibyte,
    usedBytes: 6 * gibibyte,
    bootId: randomUUID().toUpperCase(),
    sleep: new Map([
      ['disksleep', 10],
      ['sleep', 1],
    ]),
    ...options.machine,
    uid,
    user,
  }
  const launchd = new Launchd({
    pace: options.pace ?? 1,
    home,
    user,
    uid,
    consoleUser: options.consoleUser === undefined ? user : options.consoleUser,
    session: options.session ?? 'Background',
    pendsOverSsh: options.pendsOverSsh ?? false,
    disabledCode: options.disabledCode ?? codes.inputOutput,
    faults: [],
  })
  const strangers: number[] = []
  const call = async (name: string, words: readonly string[]): Promise<Answer> => {
    if (name === 'launchctl') return launchctl(launchd, words)
    if (name === 'caffeinate') return caffeinate(words)
    const roots = [...launchd.pids(), ...strangers]
    return tools[name]?.({ machine, consoleUser: launchd.settings.consoleUser, roots }, words) ?? { code: 127 }
  }
  const socketPath = join(folder, 'tools.sock')
  const server = createServer({ allowHalfOpen: true }, (socket) => void serve(socket, call))
  await new Promise<void>((resolve) => {
    server.listen(socketPath, resolve)
  })
  const bin = join(folder, 'bin')
  await writeTools(bin, socketPath)
  const llamaServer = join(home, 'bin/llama-server')
  await writeProgram(llamaServer, `exec '${process.execPath}' '${pathOf('../model-server.ts')}' "$0" "$@"`)
  return {
    user,
    home,
    llamaServer,
    launchd,
    machine,
    environment: { PATH: `${bin}:/usr/bin:/bin`, HOME: home, USER: user, LOGNAME: user },
    adopt: (pid) => strangers.push(pid),
    [Symbol.asyncDispose]: async () => {
      await launchd.shutDown()
      server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function serve(socket: Socket, call: (name: string, words: readonly string[]) => Promise<Answer>): Promise<void> {
  socket.on('error', () => socket.destroy())
  const [name = '', ...words] = (await text(socket)).split('\0')
  const { code, out = '', err = '' } = await call(name, words)
  socket.end(`${code} ${Buffer.byteLength(out)}\n${out}${err}`)
}

/** `caffeinate -w PID` lasts as long as that process. */
async function caffeinate(words: readonly string[]): Promise<Answer> {
  const pid = Number(words[words.indexOf('-w') + 1])
  while (isAlive(pid)) await sleep(100)
  return { code: 0 }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function writeTools(bin: string, socketPath: string): Promise<void> {
  const program = `exec /usr/bin/perl '${pathOf('./tool.pl')}' '${socketPath}' "\${0##*/}" "$@"`
  for (const name of ['launchctl', 'caffeinate', ...Object.keys(tools)]) await writeProgram(join(bin, name), program)
  // Whose key it is does not matter here: everything belongs to one account.
  await writeProgram(
    join(bin, 'sudo'),
    'while :; do case $1 in -n | -H | -k | -S) shift ;; -u | -p) shift 2 ;; --) shift; break ;; *) break ;; esac; done\nexec "$@"',
  )
}

async function writeProgram(path: string, line: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(path, `#!/bin/sh\n${line}\n`)
  await chmod(path, 0o755)
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url))
}
