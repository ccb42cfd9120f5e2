import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../../simulation/ssh-files.ts'
import { writeKindBModel } from './model.ts'

/** As in the spec's units; a `python3` on the PATH may be a version manager's shim. */
const PYTHON = '/usr/bin/python3'
const SERVE = fileURLToPath(new URL('serve', import.meta.url))

export interface DoubleOptions {
  readonly flags?: readonly string[]
  /** Over PATH, TMPDIR and SRV_MODEL, which are given. */
  readonly env?: Readonly<Record<string, string>>
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Answer {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export interface Ask {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
  readonly signal?: AbortSignal
}

/** Kind B's double as a process of this machine, in a process group and directory of its own. */
export interface Double extends AsyncDisposable {
  readonly pid: number
  readonly port: number
  readonly model: string
  readonly directory: string
  readonly exit: Promise<Exit>
  stderr(): string
  stdout(): string
  ask(path: string, ask?: Ask): Promise<Answer>
  ready(): Promise<void>
  signalGroup(signal: NodeJS.Signals): void
}

export async function startDouble({ flags = [], env = {} }: DoubleOptions = {}): Promise<Double> {
  const directory = await mkdtemp(join(tmpdir(), 'kindb-'))
  const model = join(directory, 'model')
  await writeKindBModel(model)
  const port = await freePort()
  const child = spawn(PYTHON, [SERVE, 'serve', '--port', String(port), ...flags], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', TMPDIR: directory, SRV_MODEL: model, ...env },
  })
  return doubleOf(child, { port, model, directory })
}

/** Runs a command of the double that ends by itself. */
export async function runDouble(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(PYTHON, [SERVE, ...args], { env: { PATH: process.env['PATH'] ?? '', ...env } })
  const [stdout, stderr] = [gather(child.stdout), gather(child.stderr)]
  const { code } = await exitOf(child, 'close')
  return { exitCode: code, stdout: stdout(), stderr: stderr() }
}

function doubleOf(child: ChildProcess, place: { port: number; model: string; directory: string }): Double {
  const { pid } = child
  if (pid === undefined) throw new Error(`${PYTHON} could not be started`)
  const [stdout, stderr] = [gather(child.stdout), gather(child.stderr)]
  const exit = exitOf(child, 'exit')
  const signalGroup = (signal: NodeJS.Signals): void => {
    try {
      process.kill(-pid, signal)
    } catch {
      // The group is gone already.
    }
  }
  return {
    ...place,
    pid,
    exit,
    stdout,
    stderr,
    signalGroup,
    ask: (path, options) => ask(place.port, path, options),
    ready: () =>
      until(
        () => stderr().includes('listening on'),
        () => stderr(),
      ),
    [Symbol.asyncDispose]: async () => {
      signalGroup('SIGKILL')
      await exit
      await rm(place.directory, { recursive: true, force: true })
    },
  }
}

function exitOf(child: ChildProcess, event: 'exit' | 'close'): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once(event, (code: number | null, signal: NodeJS.Signals | null) => resolve({ code, signal }))
  })
}

/** Waits for a condition that another process brings about. */
export async function until(condition: () => boolean | Promise<boolean>, evidence: () => string = () => ''): Promise<void> {
  const end = Date.now() + 60_000
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`waited in vain: ${evidence()}`)
    await sleep(20)
  }
}

function ask(port: number, path: string, { body, headers = {}, method, signal }: Ask = {}): Promise<Answer> {
  const content = typeof body === 'string' ? body : JSON.stringify(body)
  const verb = method ?? (content === undefined ? 'GET' : 'POST')
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method: verb, headers, agent: false, ...(signal ? { signal } : {}) })
    sent.on('error', reject)
    sent.on('response', (response) => {
      const read = gather(response)
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: read(), headers: response.headers }))
    })
    sent.end(content)
  })
}

function gather(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: string[] = []
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk.toString()))
  return () => chunks.join('')
}
