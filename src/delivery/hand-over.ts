import type { Readable } from 'node:stream'
import { shownLine } from '../lib/visible-text.ts'
import { type Delivered, failed } from './delivered.ts'

export interface HandOver {
  readonly argv: readonly string[]
  readonly input: string
  /** Its complete environment. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Removes secrets from its output. */
  readonly redact: (text: string) => string
}

/** How much of its stderr is read, and for how long after its exit. */
const maxBytes = 4096
const lingerMs = 500

/**
 * Passes a text to a program on this machine. The program leads its own process group, which is killed as a whole at the time
 * limit, including everything a shell started. Never throws.
 */
export async function handOver({ argv, input, env, cwd, timeoutMs, signal, redact }: HandOver): Promise<Delivered> {
  const { execa } = await import('execa')
  const [program = '', ...args] = argv
  const child = execa(program, args, {
    input,
    stdout: 'ignore',
    stderr: 'pipe',
    buffer: false,
    reject: false,
    cwd,
    env: { ...env },
    extendEnv: false,
    detached: true,
    cleanup: false,
  })
  const complaint = firstOf(child.stderr)
  const limit = AbortSignal.any([AbortSignal.timeout(timeoutMs), signal])
  const end = (): void => endGroup(child.pid)
  limit.addEventListener('abort', end, { once: true })
  if (limit.aborted) end()
  // A surviving process of the group may keep stderr open.
  child.nodeChildProcess.once('exit', () => setTimeout(() => child.stderr.destroy(), lingerMs).unref())
  const { exitCode, signal: killedBy, code } = await child
  limit.removeEventListener('abort', end)
  if (exitCode === 0) return { ok: true, detail: 'accepted' }
  if (code === 'ENOENT') return failed('it is not installed')
  if (code === 'EACCES') return failed('it is not executable for this user')
  if (signal.aborted) return failed('it was interrupted')
  if (limit.aborted) return failed(`it was killed after ${timeoutMs / 1000} s`)
  const said = shownLine(redact(complaint.text()).trim())
  const how = exitCode === undefined ? `was killed by ${killedBy ?? 'a signal'}` : `ended with ${exitCode}`
  return failed(`it ${how}${said === '' ? '' : `: ${said}`}`)
}

function firstOf(stream: Readable): { text(): string } {
  const chunks: Buffer[] = []
  let size = 0
  stream.on('error', () => undefined)
  stream.on('data', (chunk: Buffer) => {
    if (size < maxBytes) chunks.push(chunk)
    size += chunk.length
  })
  return { text: () => Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8') }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
