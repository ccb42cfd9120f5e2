import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import ssh2, { type ServerChannel } from 'ssh2'
import { makeSshFiles } from '../simulation/ssh-files.ts'
import { addressesOf } from './fleet.ts'

/**
 * An SSH server on all of 127.0.0.0/8 that costs its machine as little as it can: it runs the first script that it is sent, and repeats its output to
 * everybody else. So a fleet of any size answers with the facts of this machine. Argument: how many addresses it is known by. Prints its port
 * and files as one line of JSON, and ends with its input.
 */
const count = Number(process.argv[2])
const listener = createServer().listen(0, '0.0.0.0', 4096)
await once(listener, 'listening')
const address = listener.address()
if (address === null || typeof address === 'string') throw new Error('no port')
const addresses = addressesOf(count)
const files = await makeSshFiles({ addresses, port: address.port })
const hostKeys = [readFileSync(files.hostKeyFile)]
let open = 0
let most = 0

/** What the first script printed; its two frame marks replaced. */
let recorded: Promise<Recorded> | undefined

interface Recorded {
  readonly out: string
  readonly err: string
}

const server = new ssh2.Server({ hostKeys }, (client) => {
  client.on('error', () => undefined)
  // Every login is accepted: the signature of a login costs the server more than all the rest.
  client.on('authentication', (context) => context.accept())
  client.on('session', (accept) => {
    accept().on('exec', (acceptExec, _reject, { command }) => answer(command, acceptExec()))
  })
})
listener.on('connection', (socket) => {
  most = Math.max(most, ++open)
  socket.once('close', () => open--).on('error', () => undefined)
  server.injectSocket(socket)
})

function answer(command: string, channel: ServerChannel): void {
  let script = ''
  let answered = false
  channel.on('error', () => undefined)
  channel.on('data', (chunk: Buffer) => {
    script += chunk.toString()
    if (answered || !script.endsWith('\nexit 0\n}\n')) return
    answered = true
    void repeat(command, script, channel)
  })
}

async function repeat(command: string, script: string, channel: ServerChannel): Promise<void> {
  const marks = marksOf(script)
  recorded ??= record(command, script, marks)
  const { out, err } = await recorded
  const filled = (from: string): string => from.replaceAll('<outer>', marks.outer).replaceAll('<inner>', marks.inner)
  channel.stderr.write(filled(err))
  channel.write(filled(out))
  channel.exit(0)
  channel.end()
}

interface Marks {
  readonly outer: string
  readonly inner: string
}

function marksOf(script: string): Marks {
  const outer = /^_cv_n=(\S+)$/m.exec(script)?.[1]
  const inner = /nonce=(@[0-9a-f]+) /.exec(script)?.[1]
  if (outer === undefined || inner === undefined) throw new Error('this is no probe')
  return { outer, inner }
}

async function record(command: string, script: string, { outer, inner }: Marks): Promise<Recorded> {
  const shell = spawn('/bin/sh', ['-c', command])
  shell.stdin.write(script)
  const [out, err] = await Promise.all([text(shell.stdout), text(shell.stderr)])
  const emptied = (from: string): string => from.replaceAll(outer, '<outer>').replaceAll(inner, '<inner>')
  return { out: emptied(out), err: emptied(err) }
}

process.stdout.write(`${JSON.stringify({ ...files, addresses })}\n`)
process.stdin.resume().once('end', () => {
  process.stderr.write(`at most ${most} connections at a time\n`)
  process.exit()
})
