import { once } from 'node:events'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { embeddedPath, embeddedText } from './embedded.ts'

/** Output and exit status of a tool. */
export interface Answer {
  readonly code: number
  readonly out?: string
  readonly err?: string
  /** It prints more later, until it is killed; the result ends that. */
  readonly goesOn?: (print: (text: string) => void) => () => void
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

/** Listens for the tools that `writeTool` wrote; each start of one is one connection. */
export async function listenForTools(socketPath: string, answer: (call: ToolCall) => Promise<Answer>): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => void serve(socket, answer))
  server.listen(socketPath)
  await once(server, 'listening')
  return server
}

async function serve(socket: Socket, answer: (call: ToolCall) => Promise<Answer>): Promise<void> {
  socket.on('error', () => socket.destroy())
  const request = await readToEnd(socket)
  const start = request.indexOf('\n') + 1
  const end = start + Number(request.toString('utf8', 0, start))
  const [name = '', caller = '', ...words] = request.toString('utf8', start, end).split('\0')
  const { code, out = '', err = '', goesOn } = await answer({ name, words, caller, input: request.toString('utf8', end) })
  const head = `${code} ${Buffer.byteLength(out)}`
  if (goesOn === undefined) return void socket.end(`${head}\n${out}${err}`)
  socket.write(`${head}+\n${out}`)
  const stop = goesOn((text) => socket.write(text))
  socket.once('close', stop)
}

/** As `buffer` of `node:stream/consumers` does, which since Node 26 closes the socket, although its other direction is still needed. */
function readToEnd(socket: Socket): Promise<Buffer> {
  const pieces: Buffer[] = []
  socket.on('data', (piece) => pieces.push(piece))
  return new Promise((resolve) => socket.once('end', () => resolve(Buffer.concat(pieces))))
}

/** The first words of a program that asks a simulated machine: they distinguish its arguments from those of any other program. */
export const toolInterpreter = ['/usr/bin/perl', '-X'] as const

/** Writes programs that ask the machine behind the socket. */
export async function writeTools(bin: string, socketPath: string, names: readonly string[]): Promise<void> {
  for (const name of names) await writeTool(join(bin, name), socketPath)
}

/**
 * Writes a tool that has the name of its file. It is a single program, not a shell that starts another: starting programs takes most of the
 * time of a run on a simulated host.
 *
 * @param real the real program of that name, for calls that the machine does not answer
 */
export async function writeTool(path: string, socketPath: string, real?: string): Promise<void> {
  const given = { socket: socketPath, name: basename(path), real }
  const lines = Object.entries(given).map(([name, value]) => `our $${name}${value === undefined ? '' : ` = ${quoted(value)}`};\n`)
  await writeExecutable(
    path,
    `#!${toolInterpreter.join(' ')}\n${lines.join('')}${embeddedText('tool.pl') ?? (await readFile(pathOf('./tool.pl'), 'utf8'))}`,
  )
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`
}

export function writeProgram(path: string, lines: string): Promise<void> {
  return writeExecutable(path, `#!/bin/sh\n${lines}\n`)
}

async function writeExecutable(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  await chmod(path, 0o755)
}

/** Of a program of the simulation, named from this folder as its source is; in a bundle it lies beside that, as JavaScript. */
export function pathOf(file: string): string {
  const embedded = embeddedPath(file)
  if (embedded !== undefined) return embedded
  const isBundle = import.meta.url.endsWith('.js')
  return fileURLToPath(new URL(isBundle ? file.replace(/\.ts$/, '.js') : file, import.meta.url))
}
