import { once } from 'node:events'
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** Output and exit status of a tool. */
export interface Answer {
  readonly code: number
  readonly out?: string
  readonly err?: string
}

/** One start of a simulated tool. */
export interface ToolCall {
  readonly name: string
  readonly words: readonly string[]
  /** The calling account: its `LOGNAME`. */
  readonly caller: string
  /** What it read from its stdin, if it reads it. */
  readonly input: string
}

/** Listens for `tool.pl`, which it puts beside the socket; each start of a tool is one connection. */
export async function listenForTools(socketPath: string, answer: (call: ToolCall) => Promise<Answer>): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => void serve(socket, answer))
  await mkdir(dirname(toolBeside(socketPath)), { recursive: true })
  await copyFile(pathOf('./tool.pl'), toolBeside(socketPath))
  server.listen(socketPath)
  await once(server, 'listening')
  return server
}

async function serve(socket: Socket, answer: (call: ToolCall) => Promise<Answer>): Promise<void> {
  socket.on('error', () => socket.destroy())
  const request = await buffer(socket)
  const start = request.indexOf('\n') + 1
  const end = start + Number(request.toString('utf8', 0, start))
  const [name = '', caller = '', ...words] = request.toString('utf8', start, end).split('\0')
  const { code, out = '', err = '' } = await answer({ name, words, caller, input: request.toString('utf8', end) })
  socket.end(`${code} ${Buffer.byteLength(out)}\n${out}${err}`)
}

/** Writes programs that ask the machine behind the socket. */
export async function writeTools(bin: string, socketPath: string, names: readonly string[]): Promise<void> {
  for (const name of names) await writeProgram(join(bin, name), `exec ${askingLine(socketPath)} "\${0##*/}" "$@"`)
}

/** The command that calls it; the tool's name and arguments follow. */
export function askingLine(socketPath: string, takesInput = false): string {
  return `/usr/bin/perl '${toolBeside(socketPath)}' ${takesInput ? '-i ' : ''}'${socketPath}'`
}

/** A shell of the host sees the host's folder and may see nothing else of this machine. */
function toolBeside(socketPath: string): string {
  return join(dirname(socketPath), 'simulation/tool.pl')
}

export async function writeProgram(path: string, lines: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `#!/bin/sh\n${lines}\n`)
  await chmod(path, 0o755)
}

/** Of a program of the simulation, named from this folder as its source is; in a bundle it lies beside that, as JavaScript. */
export function pathOf(file: string): string {
  const isBundle = import.meta.url.endsWith('.js')
  return fileURLToPath(new URL(isBundle ? file.replace(/\.ts$/, '.js') : file, import.meta.url))
}
