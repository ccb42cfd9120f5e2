import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { ConvergeError } from '../../errors/converge-error.ts'
import { type Child, startChild } from '../child-process.ts'
import type { Endpoint } from '../errors/endpoint.ts'
import { timedOut } from '../errors/network-errors.ts'
import { noSshClient } from '../errors/no-ssh-client.ts'
import { opensshFailed } from '../errors/openssh-errors.ts'
import type { ProcessEnd } from '../remote/remote-process.ts'
import type { TransportOptions } from '../transport-options.ts'

/** An `ssh` that holds the connection; others use it through its control socket. */
export interface Master {
  /** The first arguments of every `ssh` that uses it. */
  readonly clientArguments: readonly string[]
  /** The server's software version, if ssh reported it. */
  readonly software: string | undefined
  /** The end of its stderr, which explains a broken connection. */
  said(): string
  /** Why channels were not opened, oldest first: `channel 2: open failed: connect failed: Connection refused`. */
  readonly refusals: readonly string[]
  readonly isOver: () => boolean
  /** Whether it is over, after a short wait: a client may notice before the master does. */
  endsSoon(): Promise<boolean>
  close(): Promise<void>
}

/** Printed by the LocalCommand, which ssh runs after the login. */
const readyLine = 'converge-master-is-ready'

/** These come first and override the inventory's arguments and the config: ssh uses the first value. */
const firm = ['BatchMode=yes', 'StrictHostKeyChecking=yes', 'UpdateHostKeys=no', 'ClearAllForwardings=yes', 'RemoteCommand=none']
/** Defaults. */
const fallback = ['ServerAliveInterval=15', 'ServerAliveCountMax=3']

/** @param hostArguments the user's arguments; `target` is the host as given to ssh. */
export async function startMaster(
  hostArguments: readonly string[],
  target: string,
  endpoint: Endpoint,
  options: TransportOptions,
): Promise<Master> {
  const directory = await mkdtemp(join(shortTmpdir(), 'cv-'))
  const socket = join(directory, 's')
  const common = ['-S', socket, '-x', '-a', '-T', ...firm.flatMap(asOption)]
  const local = ['PermitLocalCommand=yes', `LocalCommand=echo ${readyLine}`, 'ControlPersist=no'].flatMap(asOption)
  // Only `-v` prints the server's software version.
  const args = ['-v', '-M', '-N', ...common, ...local, ...hostArguments, ...fallback.flatMap(asOption), '--', target]
  const child = await options.startLimiter.start(() => startChild('ssh', args, { env: options.env, endsWithUs: true }))
  const running = watch(child)
  const close = async (): Promise<void> => {
    child.kill()
    const timer = globalThis.setTimeout(() => child.abandon(), 2_000)
    await child.closed
    clearTimeout(timer)
    await rm(directory, { recursive: true, force: true })
  }
  try {
    await ready(child, running, endpoint, options)
  } catch (error) {
    await close()
    throw error
  }
  return {
    clientArguments: ['-o', 'ControlMaster=no', '-o', 'PermitLocalCommand=no', ...common, ...hostArguments],
    software: running.software(),
    said: running.said,
    refusals: running.refusals,
    isOver: running.isOver,
    endsSoon: () => Promise.race([child.closed.then(() => true), setTimeout(500, false)]),
    close,
  }
}

function asOption(text: string): readonly string[] {
  return ['-o', text]
}

/** Paths of Unix sockets are short: 104 bytes on macOS, of which ssh needs 17 while it binds. */
function shortTmpdir(): string {
  return tmpdir().length < 70 ? tmpdir() : '/tmp'
}

interface Running extends Pick<Master, 'said' | 'refusals' | 'isOver'> {
  readonly ready: Promise<void>
  software(): string | undefined
}

/** Output that ssh prints only with `-v`: its version, login progress, statistics, and debug lines. */
const verbose = /^(?:debug\d: |OpenSSH_|Authenticated to |Transferred: |Bytes per second: )/
/** With jump hosts there is one line per hop; the last one is the host's. */
const softwareLine = /^debug1: .*remote software version (\S+)/

function watch(child: Child): Running {
  let text = ''
  let over = false
  let software: string | undefined
  const refusals: string[] = []
  const take = (line: string): void => {
    software = softwareLine.exec(line)?.[1] ?? software
    if (verbose.test(line)) return
    text = `${text}${line}\n`.slice(-4000)
    if (line.includes('open failed')) refusals.push(line)
  }
  let begun = ''
  child.stderr.on('data', (chunk: Buffer) => {
    const lines = `${begun}${chunk.toString()}`.split('\n')
    begun = (lines.pop() ?? '').slice(-4000)
    lines.forEach(take)
  })
  const end = (): void => {
    over = true
  }
  void child.closed.then(end)
  const { promise, resolve } = Promise.withResolvers<void>()
  child.stdout.on('data', (chunk: Buffer) => {
    // A moment later, so that earlier output on stderr has been read.
    if (chunk.includes(readyLine)) setImmediate(resolve)
  })
  child.stdin.on('error', () => undefined)
  const said = (): string => (verbose.test(begun) ? text : `${text}${begun}`)
  return { software: () => software, said, refusals, isOver: () => over, ready: promise }
}

async function ready(child: Child, running: Running, endpoint: Endpoint, options: TransportOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const { connectTimeoutMs, signal } = options
  const timer = globalThis.setTimeout(() => reject(timedOut(endpoint, connectTimeoutMs, 'ssh to log in')), connectTimeoutMs)
  const abort = (): void => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  void running.ready.then(resolve)
  void child.closed.then((end) => reject(ended(endpoint, end, running.said())))
  try {
    await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

function ended(endpoint: Endpoint, end: ProcessEnd, said: string): ConvergeError {
  if (end.missing !== true) return opensshFailed(endpoint, said)
  return noSshClient(`${endpoint.host} requires your own ssh, but there is no ssh program on the PATH of this machine.`)
}
