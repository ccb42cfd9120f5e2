import { type ExecFileException, execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Server } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { type Answer, listenForTools } from '../tool-socket.ts'
import { type ChangeName, changes, isChange } from './changes.ts'
import type { HostName } from './inventory.ts'

const run = promisify(execFile)

/** The words that run a command line on a host. */
export type CommandLine = (host: HostName, command: string) => readonly string[]

/** For the process that keeps the fleet up: other processes request changes by name, so that no file contains a command to run. */
export async function listenForChanges(folder: string, commandLine: CommandLine): Promise<AsyncDisposable> {
  const server: Server = await listenForTools(socketIn(folder), ({ words: [name = ''] }) =>
    isChange(name) ? play(name, commandLine) : Promise.resolve({ code: 64 }),
  )
  return { [Symbol.asyncDispose]: async () => void server.close() }
}

async function play(name: ChangeName, commandLine: CommandLine): Promise<Answer> {
  const { host, command } = changes[name]
  const [program = '', ...args] = commandLine(host, command)
  const cwd = '/'
  return run(program, args, { cwd }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    (error: unknown) => failureOf(error),
  )
}

/** The error output of the host; the message of `execFile` would contain the whole command line. */
function failureOf(error: unknown): Answer {
  const { code, stderr } = error instanceof Error ? (error as Partial<ExecFileException>) : {}
  return { code: typeof code === 'number' ? code : 1, err: stderr ?? String(error) }
}

/** Asks the fleet with its inventory in this folder. Undefined: no fleet is up. */
export async function askForChange(folder: string, name: ChangeName): Promise<Answer | undefined> {
  const socket = connect(socketIn(folder))
  try {
    await once(socket, 'connect')
    const call = ['change', '', name].join('\0')
    socket.end(`${Buffer.byteLength(call)}\n${call}`)
    const [, code = '70', length = '0', output = ''] = /^(\d+) (\d+)\n(.*)$/s.exec(await text(socket)) ?? []
    return { code: Number(code), out: output.slice(0, Number(length)), err: output.slice(Number(length)) }
  } catch {
    return undefined
  }
}

function socketIn(folder: string): string {
  return join(folder, 'by-hand.sock')
}
