import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Transform } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { inward, outward, scriptInward } from '../border.ts'
import { borrowProgram, borrowPrograms } from '../borrowed-programs.ts'
import { kindALines } from '../kind-a-program.ts'
import { loginShellOf } from '../login-shell.ts'
import { callsOf } from '../processes.ts'
import { openSandbox, type Sandbox } from '../sandbox.ts'
import { type Answer, listenForTools, type ToolCall, writeProgram, writeTool, writeTools } from '../tool-socket.ts'
import { fixedTools, writeFixedAnswers } from './fixed-answers.ts'
import { launchctl } from './launchctl.ts'
import { codes, Launchd, type LaunchdSettings } from './launchd.ts'
import { ownersOf } from './owners.ts'
import { type Machine, tools, type View } from './system-tools.ts'

export interface MacOptions
  extends Partial<Pick<LaunchdSettings, 'consoleUser' | 'session' | 'pendsOverSsh' | 'pace' | 'disabledCode'>> {
  readonly machine?: Partial<Omit<Machine, 'uid' | 'user' | 'home'>>
  /** Its folder; default: a new one in the temporary folder. It is deleted with the Mac. */
  readonly folder?: string
  /** Hides the rest of this machine from its shells, if this machine supports that. */
  readonly sandboxed?: boolean
}

/** A simulated Mac: a home, the tools that converge calls, and a launchd that supervises real processes. */
export interface Mac extends AsyncDisposable {
  readonly user: string
  readonly home: string
  /** A Kind A program in the home; beside it `PROGRAM.knobs.json` is read at each start. */
  readonly llamaServer: string
  readonly launchd: Launchd
  readonly machine: Machine
  /** For a shell on it: the tools come before this machine's own. */
  readonly environment: Readonly<Record<string, string>>
  /** Takes a command line as its last word, as sshd's login shell does. */
  readonly loginShell: readonly string[]
  /** What its shells run in; undefined: they see this machine. */
  readonly sandbox: Sandbox | undefined
  /** Translates a path, or words with paths, to this machine. */
  inward(text: string): string
  /** The same for a script. */
  scriptInward(script: string): string
  /** Translates each output stream of a command to the paths of the Mac. */
  output(): Transform
  /** Counts a process that was started elsewhere as one of this Mac's. */
  adopt(pid: number): void
  /** Ends everything and starts again: daemons, and agents only if the account logs in. */
  reboot(login?: { readonly user: string }): Promise<void>
}

const gibibyte = 1024 ** 3
/** Where converge looks for programs and writes as root: a simulated host must not see or touch this machine's own. */
const ownPlace =
  /(?<![\w.*?$})~/\\-])(?=\/(?:Library|etc|opt|proc|sbin|share|snap|srv|usr\/local|usr\/sbin|var\/(?:log|packages|run))(?![\w.-]))/g
const user = 'op'
const uid = 501

export async function startMac(options: MacOptions = {}): Promise<Mac> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'mac-')))
  const home = join(folder, 'Users', user)
  for (const path of ['Library/LaunchAgents', 'Library/Logs']) await mkdir(join(home, path), { recursive: true })
  const machine: Machine = {
    hostname: 'studio.lan',
    version: '26.3',
    arch: 'arm64',
    memoryBytes: 32 * gibibyte,
    usedBytes: 6 * gibibyte,
    wiredPerServer: 0,
    lostBytes: 0,
    diskBytes: 1000 * gibibyte,
    diskUsedBytes: 300 * gibibyte,
    bootId: randomUUID().toUpperCase(),
    sleep: new Map([
      ['disksleep', 10],
      ['sleep', 1],
    ]),
    fileVault: false,
    accounts: [],
    ...options.machine,
    uid,
    user,
    home,
  }
  const border = { root: join(folder, 'root'), places: ownPlace, homes: `${join(folder, 'Users')}/` }
  const owners = ownersOf(user, border.root)
  const folders = { daemons: join(border.root, 'Library/LaunchDaemons'), agents: join(home, 'Library/LaunchAgents') }
  const launchd = new Launchd({
    ownerOf: owners.of,
    folders,
    inside: (path) => inward(border, path),
    pace: options.pace ?? 1,
    home,
    user,
    uid,
    consoleUser: options.consoleUser === undefined ? user : options.consoleUser,
    session: options.session ?? 'Background',
    pendsOverSsh: options.pendsOverSsh ?? false,
    disabledCode: options.disabledCode ?? codes.inputOutput,
    faults: [],
    killed: () => {
      machine.lostBytes += machine.wiredPerServer
    },
  })
  const socketPath = join(folder, 'tools.sock')
  const [bin, asking] = [join(folder, 'bin'), join(folder, 'simulation')]
  const adopted: number[] = []
  // Looking for its processes means reading the table of the whole machine.
  let caffeinated = false
  const viewOf = (roots: readonly number[], asRoot: boolean): View => {
    const runsHere = sandbox?.holds ?? (() => true)
    const asked = { machine, consoleUser: launchd.settings.consoleUser, roots, asRoot, runsHere }
    return { ...asked, ownerOf: owners.of, accountOf: (pid) => launchd.accountOf(pid) }
  }
  const call = async ({ name, words, caller, input }: ToolCall): Promise<Answer> => {
    if (name === 'launchctl') return launchctl(launchd, words, caller === 'root')
    if (name === 'chown') return owners.chown(caller === 'root', words)
    if (name === 'caffeinate') {
      caffeinated = true
      return caffeinate(words)
    }
    if (name === 'head') return { code: 0, out: scriptInward(border, input) }
    const servers = [...launchd.pids(), ...adopted]
    const roots = name === 'ps' && caffeinated ? [...servers, ...callsOf(join(bin, 'caffeinate'))] : servers
    return tools[name]?.(viewOf(roots, caller === 'root'), words) ?? { code: 127 }
  }
  const server = await listenForTools(socketPath, (one) => call({ ...one, words: one.words.map(outside) }))
  const borrowed = join(folder, 'borrowed')
  const copied = options.sandboxed === true
  await borrowPrograms(borrowed, { system: 'macos', copied })
  const quick = await borrowProgram(asking, { name: 'sha256sum', copied })
  if (quick !== undefined) await writeProgram(join(bin, 'shasum'), shasumLines(quick, borrowed))
  const environment = { PATH: `${bin}:${borrowed}`, HOME: home, USER: user, LOGNAME: user }
  await writeMacTools({ bin, asking }, socketPath, environment.PATH)
  await writeTool(join(bin, 'head'), socketPath, join(borrowed, 'head'))
  for (const place of ['etc/newsyslog.d', 'usr', 'var/log', 'Library/LaunchDaemons', 'Library/Logs'])
    await mkdir(join(border.root, place), { recursive: true })
  await symlink(join(folder, 'Users'), join(border.root, 'Users'))
  await symlink(borrowed, join(border.root, 'usr/bin'))
  const sandbox = options.sandboxed === true ? await openSandbox({ root: border.root, folder }) : undefined
  const fixAnswers = () => writeFixedAnswers(bin, asking, viewOf([], false))
  await fixAnswers()
  const outside = sandbox?.outside ?? ((word: string) => word)
  const llamaServer = join(home, 'bin/llama-server')
  await writeProgram(llamaServer, kindALines())
  return {
    user,
    home,
    llamaServer,
    launchd,
    machine,
    environment,
    loginShell: loginShellOf(environment, sandbox),
    sandbox,
    inward: (text) => inward(border, text),
    scriptInward: (script) => scriptInward(border, script),
    output: () => outward(border.root),
    adopt: (pid) => adopted.push(pid),
    reboot: async (login) => {
      await launchd.shutDown()
      machine.bootId = randomUUID().toUpperCase()
      await fixAnswers()
      launchd.settings.consoleUser = login?.user ?? null
      launchd.loadAll('system')
      launchd.loadAll(`gui/${uid}`)
    },
    [Symbol.asyncDispose]: async () => {
      await launchd.shutDown()
      server.close()
      await sandbox?.[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
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

interface ToolFolders {
  /** What a shell finds. */
  readonly bin: string
  /** What these call if they do not know the answer. */
  readonly asking: string
}

/** `shasum` is Perl with modules, and takes twenty times as long as another program that prints the same. */
function shasumLines(sha256sum: string, borrowed: string): string {
  const slow = join(borrowed, 'shasum')
  return `case "$1 $2" in\n'-a 256') shift 2; exec '${sha256sum}' "$@" ;;\n*) exec '${slow}' "$@" ;;\nesac`
}

async function writeMacTools({ bin, asking }: ToolFolders, socketPath: string, path: string): Promise<void> {
  await writeTools(bin, socketPath, ['launchctl', 'caffeinate', 'chown', ...Object.keys(tools)])
  // What root does is done by the account as well, but for the tools that ask who calls.
  // Callers add folders to their path, which would be this machine's.
  const become = `SUDO_USER=${user} SUDO_UID=${uid} LOGNAME=$as USER=$as PATH=${path}\nexport SUDO_USER SUDO_UID LOGNAME USER PATH\nexec "$@"`
  const options =
    'as=root\nwhile :; do case $1 in -n | -H | -k | -S) shift ;; -u) as=$2; shift 2 ;; -p) shift 2 ;; --) shift; break ;; *) break ;; esac; done'
  await writeProgram(join(bin, 'sudo'), `${options}\n${become}`)
  await writeTools(asking, socketPath, ['id', ...fixedTools])
  await writeProgram(join(bin, 'id'), idLines(join(asking, 'id')))
}

/** Scripts ask most often who runs them: the shell can say that itself, in a third of the time of a tool. */
function idLines(asks: string): string {
  const account = `case $LOGNAME in root) name=root number=0 ;; *) name=${user} number=${uid} ;; esac`
  return `${account}\ncase $* in -u) echo "$number" ;; -un) echo "$name" ;; *) exec '${asks}' "$@" ;; esac`
}
