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

/** An `ssh` that holds the connection; further ones use it through its control socket. */
export interface Master {
  /** What every `ssh` that goes through it begins with. */
  readonly clientArguments: readonly string[]
  /** What the server calls itself, where ssh told. */
  readonly software: string | undefined
  /** The end of what it printed to stderr: why the connection broke stands there. */
  said(): string
  /** Why channels were not opened, oldest first: `channel 2: open failed: connect failed: Connection refused`. */
  readonly refusals: readonly string[]
  readonly isOver: () => boolean
  /** Whether it is over, after a moment's patience: a client may notice before the master does. */
  endsSoon(): Promise<boolean>
  close(): Promise<void>
}

/** Printed by the LocalCommand, which ssh runs when the login is over. */
const readyLine = 'converge-master-is-ready'

/** These come first, and with ssh the first value wins: over the inventory's arguments and over the config. */
const firm = ['BatchMode=yes', 'StrictHostKeyChecking=yes', 'UpdateHostKeys=no', 'ClearAllForwardings=yes', 'RemoteCommand=none']
/** Where nobody said anything else. */
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
  // Said with `-v` alone: what the server calls itself.
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

/** Unix sockets have short names: 104 bytes on macOS, of which ssh takes 17 for itself while it binds. */
function shortTmpdir(): string {
  return tmpdir().length < 70 ? tmpdir() : '/tmp'
}

interface Running extends Pick<Master, 'said' | 'refusals' | 'isOver'> {
  readonly ready: Promise<void>
  software(): string | undefined
}

/** What ssh prints only with `-v`: its version, how the login went, how much was sent, and all that is marked. */
const verbose = /^(?:debug\d: |OpenSSH_|Authenticated to |Transferred: |Bytes per second: )/
/** With a jump host there is one line of each hop; the last one is of the host itself. */
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
    // A moment later: what it printed to stderr before that has been read by then.
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
  return noSshClient(
    `${endpoint.host} is to be reached with your own ssh, and there is no ssh program on the PATH of this machine.`,
  )
}
