import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { execute } from '../../src/cli/main.ts'
import { createContext } from '../../src/context/context.ts'

/** How a command line ended. */
export interface Outcome {
  readonly code: number | undefined
  readonly stdout: string
  readonly stderr: string
}

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/**
 * The whole of converge but for its process: a command line, an environment, two streams that are no terminal. Starting and warming up Node takes
 * most of the time of a short run; who needs a process to kill or to signal starts the program.
 */
export async function convergeHere(argv: readonly string[], surroundings: Surroundings): Promise<Outcome> {
  const { code, stdout, stderr } = await convergeToTheByte(argv, surroundings)
  return { code, stdout: stdout.replace(/\n$/, ''), stderr: stderr.replace(/\n$/, '') }
}

/** The same, with the last newline of each stream. */
export async function convergeToTheByte(argv: readonly string[], { env, cwd }: Surroundings): Promise<Outcome> {
  const { signal } = new AbortController()
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const streams = { stdin: process.stdin, stdout: stdout as never, stderr: stderr as never }
  const context = createContext({ ...streams, env, cwd: () => cwd }, { signal, force: signal }, argv)
  const texts = Promise.all([text(stdout), text(stderr)])
  const code = await execute(argv, context).finally(() => [stdout, stderr].forEach((stream) => stream.end()))
  const [out, err] = await texts
  return { code, stdout: out, stderr: err }
}
