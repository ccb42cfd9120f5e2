import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeSshFiles, type SshFiles, type SshFilesOptions } from '../../simulation/ssh-files.ts'
import type { Connection, Host } from '../../src/model/fleet.ts'
import { hostAt } from './host-at.ts'

/** A real OpenSSH server on a loopback port of its own, with its own keys; it logs in the user who runs the tests. */
export interface Sshd extends SshFiles, AsyncDisposable {
  readonly user: string
  /** The host as an inventory would have it. */
  host(connection?: Partial<Connection>): Host
  log(): Promise<string>
  /** Ends every connection at once, as a power cut would; the server goes on listening. */
  dropConnections(): Promise<void>
  /** Connections stay open and say nothing more, as behind a firewall that forgot them. */
  freezeConnections(): Promise<void>
  stop(): Promise<void>
}

export interface SshdOptions extends SshFilesOptions {
  readonly name?: string
  /** Extra lines for sshd_config. */
  readonly config?: readonly string[]
  /** Put before the key in authorized_keys: `command="…"`, `restrict`, … */
  readonly keyOptions?: string
  /** `0.0.0.0` answers on all of 127.0.0.0/8. */
  readonly listen?: string
}

const run = promisify(execFile)
const sshdPath = ['/usr/sbin/sshd', '/usr/local/sbin/sshd'].find((path) => existsSync(path))

/** Whether this machine can start one at all. */
export const hasSshd = sshdPath !== undefined

export async function startSshd(options: SshdOptions = {}): Promise<Sshd> {
  if (sshdPath === undefined) throw new Error('no sshd on this machine: install openssh-server')
  const files = await makeSshFiles(options)
  const { directory, port, keyFile } = files
  const file = (name: string): string => join(directory, name)
  await writeFile(
    file('authorized_keys'),
    `${options.keyOptions === undefined ? '' : `${options.keyOptions} `}${files.publicKey}\n`,
  )
  await writeFile(file('sshd_config'), serverConfig(files, options))
  // Started as root, sshd insists on its empty directory.
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true })
  const child = spawn(sshdPath, ['-D', '-f', file('sshd_config'), '-E', file('log')], { stdio: 'ignore' })
  const log = (): Promise<string> => readFile(file('log'), 'utf8').catch(() => '')
  await untilListening(port, child, log)
  const stop = async (): Promise<void> => {
    await signalConnections(child, 'SIGKILL')
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    await rm(directory, { recursive: true, force: true })
  }
  const user = userInfo().username
  return {
    ...files,
    user,
    host: (connection) => hostAt(options.name ?? 'testhost', { port, user, privateKeyFile: keyFile, ...connection }),
    log,
    dropConnections: () => signalConnections(child, 'SIGKILL'),
    freezeConnections: () => signalConnections(child, 'SIGSTOP'),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function serverConfig({ directory, port, hostKeyFile }: SshFiles, options: SshdOptions): string {
  return [
    // The first value wins, so those of the test come first.
    ...(options.config ?? []),
    `ListenAddress ${options.listen ?? '127.0.0.1'}`,
    `Port ${port}`,
    `HostKey ${hostKeyFile}`,
    `AuthorizedKeysFile ${directory}/authorized_keys`,
    'PidFile none',
    'UsePAM no',
    'StrictModes no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin yes',
    'LogLevel VERBOSE',
    'MaxStartups 2000:30:4000',
    // The login files of an account may start a hundred processes for each session.
    `SetEnv HOME=${directory}`,
    '',
  ].join('\n')
}

async function untilListening(port: number, child: ChildProcess, log: () => Promise<string>): Promise<void> {
  for (const until = Date.now() + 60_000; Date.now() < until; ) {
    if (child.exitCode !== null) throw new Error(`sshd ended with ${child.exitCode}: ${await log()}`)
    if (await answers(port)) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`sshd did not come up: ${await log()}`)
}

/** Reads the greeting too: a connection that says nothing is counted against its address by newer servers. */
async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    const [greeting]: unknown[] = await once(socket, 'data')
    return String(greeting).startsWith('SSH-2.0')
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Every connection is a child of the listener, and that of a user who is not root has one more below. */
async function signalConnections(listener: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (listener.pid === undefined) return
  for (const pid of await childrenOf(listener.pid)) {
    for (const one of [...(await childrenOf(pid)), pid]) {
      const name = await readFile(`/proc/${one}/comm`, 'utf8').catch(() => '')
      if (name.startsWith('sshd')) signalUnlessEnded(one, signal)
    }
  }
}

/** A connection may have ended since it was looked for. */
function signalUnlessEnded(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=']).catch(() => ({ stdout: '' }))
  return stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (parent === pid && child !== undefined ? [child] : []))
}
