import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Readable, Transform } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import ssh2, { type AuthContext, type ServerChannel, type Connection as ServerConnection } from 'ssh2'
import { makeSshFiles, type SshFiles, type SshFilesOptions } from './ssh-files.ts'

/** An SSH server inside this process: it runs commands for real, counts everything, and misbehaves on demand. */
export interface SshServer extends SshFiles, AsyncDisposable {
  readonly user: string
  /** The observed connections, one entry each, in order. */
  readonly connections: readonly SeenConnection[]
  /** Cuts every connection; the server keeps listening. */
  dropConnections(): void
  stop(): Promise<void>
}

export interface SeenConnection {
  /** The address that was dialled: with many addresses, the host. */
  readonly address: string
  readonly loggedIn: boolean
  /** It has ended, by either side. */
  readonly closed: boolean
  /** Command lines, as a login shell would have got them. */
  readonly execs: readonly string[]
  /** Ports that were asked for. */
  readonly forwards: readonly number[]
  /** Algorithm and base64 blob of each key that was offered, signed or not. */
  readonly offered: readonly string[]
}

export interface SshServerOptions extends SshFilesOptions {
  readonly user?: string
  /** What it calls itself: `dropbear_2022.83`. */
  readonly software?: string
  readonly faults?: Faults
  /** Runs the command line of an exec; default: `/bin/sh -c`. */
  readonly loginShell?: readonly string[]
  /** Why a command line is not run here; undefined: it is. */
  readonly refuses?: (command: string) => string | undefined
  /** Where commands start. */
  readonly cwd?: string
  /** What each stream of a command goes through on its way out. */
  readonly output?: () => Transform
}

export interface Faults {
  /** Accepts connections and sends nothing. */
  readonly silent?: boolean
  /** Sends this instead of an SSH greeting. */
  readonly greeting?: string
  /** Closes every connection at once, as a server with too many of them does. */
  readonly hangUp?: boolean
  readonly refuseLogin?: boolean
  /** Milliseconds before a login is answered. */
  readonly slowLoginMs?: number
  readonly dropOn?: 'exec' | 'first-output' | 'end'
  /** Closes the channel of a command without an exit status. */
  readonly mute?: boolean
  readonly maxSessions?: number
  /** Cuts a connection on which a second session is opened, as some Dropbear does when the first one is about to end. */
  readonly cutOnSecondSession?: boolean
  /** Opens this many channels and refuses the command; to a client, Dropbear's closed channels look like that. */
  readonly notTaken?: number
}

interface Seen extends SeenConnection {
  loggedIn: boolean
  closed: boolean
  readonly execs: string[]
  readonly forwards: number[]
  readonly offered: string[]
}

export async function startSshServer(options: SshServerOptions = {}): Promise<SshServer> {
  const { faults = {}, user = 'op' } = options
  const connections: Seen[] = []
  const sockets = new Set<Socket>()
  const listener = createServer()
  // Before its files name it: a port that was only looked for could be taken by then.
  listener.listen(options.port ?? 0, options.addresses === undefined ? '127.0.0.1' : '0.0.0.0')
  await once(listener, 'listening')
  const files = await makeSshFiles({ ...options, port: portOf(listener) })
  const hostKey = await readFile(files.hostKeyFile)
  listener.on('connection', (socket) => {
    sockets.add(socket)
    const address = socket.localAddress ?? ''
    const seen: Seen = { address, loggedIn: false, closed: false, execs: [], forwards: [], offered: [] }
    const forget = (): void => {
      sockets.delete(socket)
      seen.closed = true
    }
    socket.once('close', forget).on('error', () => undefined)
    connections.push(seen)
    if (faults.hangUp === true) socket.destroy()
    else if (faults.greeting !== undefined) socket.write(faults.greeting)
    else if (faults.silent !== true)
      greet({ hostKey, software: options.software }, socket, (client) =>
        serve(client, { seen, socket, user, faults, options, files }),
      )
  })
  const dropConnections = (): void => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  const stop = async (): Promise<void> => {
    dropConnections()
    listener.close()
    await rm(files.directory, { recursive: true, force: true })
  }
  return {
    ...files,
    user,
    connections,
    dropConnections,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function portOf(listener: Server): number {
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('no port is listened on')
  return address.port
}

interface Greeting {
  readonly hostKey: Buffer
  readonly software: string | undefined
}

/** One ssh2 server for each socket: ssh2 does not say which of its connections belongs to which. */
function greet({ hostKey, software: ident }: Greeting, socket: Socket, serveIt: (client: ServerConnection) => void): void {
  new ssh2.Server({ hostKeys: [hostKey], ...(ident === undefined ? {} : { ident }) }, serveIt).injectSocket(socket)
}

interface Serving {
  readonly seen: Seen
  readonly socket: Socket
  readonly user: string
  readonly faults: Faults
  readonly options: SshServerOptions
  readonly files: SshFiles
}

function serve(client: ServerConnection, serving: Serving): void {
  const { seen, faults } = serving
  let sessions = 0
  let notTaken = faults.notTaken ?? 0
  client.on('error', () => undefined)
  client.on('authentication', (context) => void authenticate(context, serving))
  client.on('ready', () => {
    seen.loggedIn = true
  })
  client.on('session', (accept, reject) => {
    if (faults.cutOnSecondSession === true && sessions > 0) return void serving.socket.destroy()
    if (sessions >= (faults.maxSessions ?? Number.POSITIVE_INFINITY)) return reject()
    sessions++
    const session = accept()
    session.once('close', () => sessions--)
    // Without a terminal: it reads line by line, and what is typed is seen because the client's own terminal shows it.
    session.on('shell', (acceptShell) => execute('exec /bin/sh -i', acceptShell(), serving))
    session.on('exec', (acceptExec, rejectExec, { command }) => {
      if (notTaken-- > 0) return rejectExec()
      seen.execs.push(command)
      if (faults.dropOn === 'exec') serving.socket.destroy()
      else execute(command, acceptExec(), serving)
    })
  })
  client.on('tcpip', (accept, reject, { destPort }) => {
    seen.forwards.push(destPort)
    const target = connect(destPort, '127.0.0.1')
    target.once('connect', () => target.pipe(accept()).pipe(target))
    target.once('error', () => reject())
  })
}

async function authenticate(context: AuthContext, { seen, user, faults, files }: Serving): Promise<void> {
  if (faults.slowLoginMs !== undefined) await sleep(faults.slowLoginMs)
  if (context.method !== 'publickey') return context.reject(['publickey'])
  const offered = `${context.key.algo} ${context.key.data.toString('base64')}`
  if (!seen.offered.includes(offered)) seen.offered.push(offered)
  const right = context.username === user && files.publicKey.split(' ')[1] === context.key.data.toString('base64')
  if (faults.refuseLogin === true || !right) return context.reject(['publickey'])
  const key = ssh2.utils.parseKey(files.publicKey)
  if (key instanceof Error) throw key
  const { signature, blob, hashAlgo } = context
  // What it cannot verify at all it answers with an error, which is as little a yes as false.
  const verdict: unknown = signature === undefined || blob === undefined || key.verify(blob, signature, hashAlgo)
  if (verdict === true) context.accept()
  else context.reject(['publickey'])
}

function execute(command: string, channel: ServerChannel, { faults, options, socket }: Serving): void {
  const refusal = options.refuses?.(command)
  if (refusal !== undefined) {
    channel.stderr.write(`${refusal}\n`)
    channel.exit(126)
    channel.end()
    return
  }
  const [shell = '/bin/sh', ...args] = options.loginShell ?? ['/bin/sh', '-c']
  const child = spawn(shell, [...args, command], { detached: true, ...(options.cwd === undefined ? {} : { cwd: options.cwd }) })
  child.stdin.on('error', () => undefined)
  channel.on('error', () => undefined).pipe(child.stdin)
  const through = (stream: Readable): Readable => (options.output === undefined ? stream : stream.pipe(options.output()))
  const [out, err] = [through(child.stdout), through(child.stderr)]
  out.on('data', (chunk: Buffer) => {
    channel.write(chunk)
    if (faults.dropOn === 'first-output') setTimeout(() => socket.destroy(), 50)
  })
  err.on('data', (chunk: Buffer) => channel.stderr.write(chunk))
  // The transform of a stream may still hold data.
  const passed = options.output === undefined ? [] : [finished(out), finished(err)]
  const end = (code: number | null, signal: string | null): void => {
    if (faults.mute !== true) {
      if (code === null) channel.exit((signal ?? 'SIGKILL').replace(/^SIG/, ''))
      else channel.exit(code)
    }
    channel.end()
    if (faults.dropOn === 'end') setTimeout(() => socket.destroy(), 50)
  }
  child.once('close', (code, signal) => void Promise.allSettled(passed).then(() => end(code, signal)))
}
