import { Duplex } from 'node:stream'
import { shellQuote } from '../../lib/shell-quote.ts'
import type { Host } from '../../model/fleet.ts'
import { startChild } from '../child-process.ts'
import { type ConnectionPool, createConnectionPool, singleConnection } from '../connection-pool.ts'
import { mixesUpSessions } from '../dropbear.ts'
import { createElevation } from '../elevation.ts'
import type { Endpoint } from '../errors/endpoint.ts'
import { forwardProhibited, forwardRefused, lostConnection } from '../errors/session-errors.ts'
import { loginShellLine } from '../remote/remote-command.ts'
import type { ProcessEnd, RemoteProcess } from '../remote/remote-process.ts'
import { scriptsThrough } from '../run-script.ts'
import { createSessionSlots } from '../session-slots.ts'
import { socketLike } from '../socket-like.ts'
import type { Transport } from '../transport.ts'
import type { TransportOptions } from '../transport-options.ts'
import { type Master, startMaster } from './master.ts'

/** Exit status of a failed ssh; a command may use it too, so the frame carries the real status. */
const sshFailed = 255

/** The user's own ssh, for what the built-in client does not support: certificates, hardware keys, Kerberos, newer algorithms. */
export async function openOpenSsh(host: Host, options: TransportOptions): Promise<Transport> {
  const { address } = host.connection
  const args = sshArguments(host, options)
  const endpoint: Endpoint = { host: host.name, at: address, sshCommand: shellQuote(['ssh', ...args, address]) }
  const connect = (signal: AbortSignal) => startMaster(args, address, endpoint, { ...options, signal })
  const master = await connect(options.signal)
  const pool = poolOf(master, connect)
  const slots = createSessionSlots(() => false)
  const runner = {
    endpoint,
    elevation: createElevation(host.connection, endpoint, options),
    redact: (text: string) => options.redact?.(text) ?? text,
    start: (words: readonly string[], label: string) =>
      slots.run(() =>
        pool.run(async (one) => {
          if (one.isOver()) throw lostConnection(endpoint, label, 'idle', one.said())
          const process = await startClient([...one.clientArguments, '--', address, loginShellLine(words)], one, options)
          return { value: process, released: process.closed }
        }),
      ),
    release: async () => undefined,
  }
  return {
    host: host.name,
    ...scriptsThrough(runner),
    forward: (port) => forward(port, { address, master, endpoint, options }),
    close: () => pool.close(),
  }
}

function poolOf(first: Master, connect: (signal: AbortSignal) => Promise<Master>): ConnectionPool<Master> {
  if (!mixesUpSessions(first.software)) return singleConnection(first)
  return createConnectionPool(first, { further: connect, isOver: (one) => one.isOver() })
}

function sshArguments({ connection }: Host, { sshConfig, env }: TransportOptions): readonly string[] {
  const { port, user, privateKeyFile, sshArgs } = connection
  const key = privateKeyFile?.replace(/^~(?=\/)/, env['HOME'] ?? '~')
  return [
    ...(sshConfig === undefined ? [] : ['-F', sshConfig]),
    // As in Ansible, dedicated variables come before further arguments: ssh uses the first value.
    ...(port === undefined ? [] : ['-p', String(port)]),
    ...(user === undefined ? [] : ['-l', user]),
    ...(key === undefined ? [] : ['-i', key, '-o', 'IdentitiesOnly=yes']),
    ...sshArgs,
  ]
}

async function startClient(args: readonly string[], master: Master, options: TransportOptions): Promise<RemoteProcess> {
  const child = await startChild('ssh', args, { env: options.env, endsWithUs: true })
  const closed = child.closed.then(async (end): Promise<ProcessEnd> => {
    if (end.exitCode !== sshFailed) return end
    return (await master.endsSoon()) ? { lost: master.said() } : {}
  })
  return { ...child, closed }
}

interface Forwarding {
  readonly address: string
  readonly master: Master
  readonly endpoint: Endpoint
  readonly options: TransportOptions
}

/** Without an answer of ssh for this long, the channel counts as open; a later ssh may word its confirmation differently. */
const confirmMs = 3_000

/** `ssh -W` through the master. Only with `-v` does it report an open channel. */
async function forward(port: number, { address, master, endpoint, options }: Forwarding): Promise<Duplex> {
  if (master.isOver()) throw lostConnection(endpoint, `connect to port ${port}`, 'idle', master.said())
  const args = ['-v', ...master.clientArguments, '-W', `127.0.0.1:${port}`, '--', address]
  const child = await startChild('ssh', args, { env: options.env, endsWithUs: true })
  const refusalsBefore = master.refusals.length
  const open = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => open.resolve(true), confirmMs)
  child.stdin.on('error', () => undefined)
  child.stderr.on('data', (chunk: Buffer) => {
    if (chunk.includes('master session id')) open.resolve(true)
  })
  void child.closed.then(() => open.resolve(false))
  const isOpen = await open.promise
  clearTimeout(timer)
  if (isOpen) {
    const stream = Duplex.from({ readable: child.stdout, writable: child.stdin })
    stream.once('close', () => child.abandon())
    return socketLike(stream)
  }
  // The client gets no reason; the master prints it, perhaps a moment later.
  if (master.refusals.length === refusalsBefore && (await master.endsSoon()))
    throw lostConnection(endpoint, `connect to port ${port}`, 'before', master.said())
  const reason = master.refusals.at(-1) ?? ''
  throw reason.includes('prohibited') ? forwardProhibited(endpoint, port, reason) : forwardRefused(endpoint, port, reason)
}
