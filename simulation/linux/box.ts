import { randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Transform } from 'node:stream'
import { inward, outward, scriptInward } from '../border.ts'
import { borrowPrograms } from '../borrowed-programs.ts'
import { loginShellOf } from '../login-shell.ts'
import { listenersOf } from '../processes.ts'
import { openSandbox, type Sandbox } from '../sandbox.ts'
import { type Answer, listenForTools, type ToolCall, writeTools } from '../tool-socket.ts'
import { type Account, accountsIn } from './accounts.ts'
import { borderOf } from './border.ts'
import { BoxProcesses, type Supervised } from './box-processes.ts'
import { Journal } from './journal.ts'
import { journalctl } from './journalctl.ts'
import type { Machine } from './machine.ts'
import { NotSimulated } from './not-simulated.ts'
import { Proc } from './proc.ts'
import { furnish, person } from './root-folder.ts'
import type { ServiceHost } from './service-process.ts'
import { type Owners, tools, type View } from './system-tools.ts'
import { systemctl } from './systemctl.ts'
import { Systemd } from './systemd.ts'
import { wordsOfKindB } from './words-of-kind-b.ts'

export interface LinuxBoxOptions {
  /** Seconds of its systemd per real second: ten real seconds are too long to wait for a restart. */
  readonly pace?: number
  readonly machine?: Partial<Machine>
  /** Its folder; default: a new one in the temporary folder. It is deleted with the box. */
  readonly folder?: string
  /** Hides the rest of this machine from its shells, if this machine supports that. */
  readonly sandboxed?: boolean
  /** A second supervisor beside its systemd. */
  readonly beside?: (host: ServiceHost) => Supervisor
}

/** Starts and ends services of a box, and provides the tools for that. */
export interface Supervisor {
  readonly services: readonly Supervised[]
  readonly tools: Readonly<Record<string, (words: readonly string[]) => Promise<Answer>>>
  shutDown(): Promise<void>
}

/** A Linux host without the host: its root is a folder, its /proc is made, and its systemd supervises real processes. */
export interface LinuxBox extends AsyncDisposable {
  readonly user: string
  /** Its path on the box: `/home/op`. */
  readonly home: string
  readonly systemd: Systemd
  readonly journal: Journal
  readonly machine: Machine
  /** For a shell on it: it finds only the box's own tools. */
  readonly environment: Readonly<Record<string, string>>
  /** Runs a command line on it, as the SSH server of the box would. */
  readonly loginShell: readonly string[]
  /** What its shells run in; undefined: they see this machine. */
  readonly sandbox: Sandbox | undefined
  /** The words that run a command line with the paths of the box. */
  readonly commandLine: (command: string) => readonly string[]
  /** The path on this machine of a path of the box. */
  path(onBox: string): string
  /** A script with its paths on this machine, to run at once: `/proc` shows this moment. */
  scriptInward(script: string): string
  /** Translates each output stream of a command to the paths of the box. */
  output(): Transform
}

/** Verbs of systemctl after which the processes are the same as before. */
const asks = /^(?:show|is-|cat|list-|--version)/
const gibibyte = 1024 ** 3
const dayMs = 86_400_000

export async function startLinuxBox(options: LinuxBoxOptions = {}): Promise<LinuxBox> {
  const folder = realpathSync(options.folder ?? (await mkdtemp(join(tmpdir(), 'linux-'))))
  const root = join(folder, 'root')
  const machine: Machine = {
    hostname: 'box',
    kernel: '6.1.0-40-amd64',
    arch: 'x86_64',
    distribution: 'Debian GNU/Linux 12 (bookworm)',
    memoryBytes: 64 * gibibyte,
    usedBytes: 3 * gibibyte,
    diskBytes: 2000 * gibibyte,
    diskUsedBytes: 600 * gibibyte,
    bootId: randomUUID(),
    bootedAt: Date.now() - 3 * dayMs,
    ...options.machine,
  }
  const socketPath = join(folder, 'tools.sock')
  const borrowed = join(folder, 'borrowed')
  const programs = await borrowPrograms(borrowed, { system: 'linux', copied: options.sandboxed === true })
  await furnish({ root, machine, socketPath, borrowed, programs })
  const accounts = () => accountsIn(join(root, 'etc/passwd'))
  const journal = new Journal()
  const account = (name: string): Account | undefined => accounts().find((one) => one.name === name)
  const systemd = new Systemd({ root, pace: options.pace ?? 1, bootedAt: machine.bootedAt, journal, account })
  const other = options.beside?.(systemd.host)
  await writeTools(join(root, 'usr/bin'), socketPath, Object.keys(other?.tools ?? {}))
  const services = () => [...systemd.services, ...(other?.services ?? [])]
  const processes = new BoxProcesses({ services, account, bootedAt: machine.bootedAt })
  const proc = new Proc(join(root, 'proc'))
  const look: View['look'] = () => {
    const seen = processes.look()
    return { processes: seen, listeners: listenersOf(seen.map(({ pid }) => pid)) }
  }
  const showProc = () => proc.show({ machine, ...look() })
  const forNow = (script: string): string => {
    showProc()
    return scriptInward(borderOf(root), script)
  }
  const owners = ownersIn(root)
  const answer = async ({ name, words, caller, input }: ToolCall): Promise<Answer> => {
    if (name === 'head') return { code: 0, out: forNow(input) }
    if (name === 'systemctl') {
      const result = await systemctl(systemd, words, caller)
      if (!asks.test(words[0] ?? '')) showProc()
      return result
    }
    const tool = other?.tools[name]
    if (tool !== undefined) {
      const result = await tool(words)
      showProc()
      return result
    }
    if (name === 'python3') return wordsOfKindB(words)
    if (name === 'journalctl') return journalctl(journal, machine.hostname, words)
    const callerAccount = account(caller) ?? person
    const runsHere = sandbox?.holds ?? (() => true)
    return tools[name]?.({ machine, accounts: accounts(), caller: callerAccount, look, owners, runsHere }, words) ?? { code: 127 }
  }
  const server = await listenForTools(socketPath, (call) =>
    answer({ ...call, words: call.words.map(outside) }).catch((error: unknown) => complaint(call, error)),
  )
  const sandbox = options.sandboxed === true ? await openSandbox({ root, folder }) : undefined
  const outside = sandbox?.outside ?? ((word: string) => word)
  const path = (onBox: string): string => join(root, onBox)
  const environment = {
    PATH: `${path('/usr/local/bin')}:${path('/usr/bin')}`,
    HOME: path(person.home),
    USER: person.name,
    LOGNAME: person.name,
    SHELL: '/bin/sh',
  }
  const loginShell = loginShellOf(environment, sandbox)
  return {
    user: person.name,
    home: person.home,
    systemd,
    journal,
    machine,
    environment,
    loginShell,
    commandLine: (command) => [...loginShell, inward(borderOf(root), command)],
    sandbox,
    path,
    scriptInward: forNow,
    output: () => outward(root),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([systemd.shutDown(), other?.shutDown()])
      server.close()
      await sandbox?.[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A tool without an answer would look as if it hung. */
function complaint({ name }: ToolCall, error: unknown): Answer {
  const words = error instanceof Error ? error.message : String(error)
  return { code: error instanceof NotSimulated ? 64 : 70, err: `${name}: ${words}\n` }
}

/** Files in the person's home belong to the person, all others to root, until their owner is changed. */
function ownersIn(root: string): Owners {
  const given = new Map<number, string>()
  const homes = join(root, person.home)
  return {
    of: (path, inode) => given.get(inode) ?? (path.startsWith(`${homes}/`) ? person.name : 'root'),
    give: (inode, name) => given.set(inode, name),
  }
}
