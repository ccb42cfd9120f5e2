import { execa } from 'execa'
import { command } from './converge.ts'
import { until } from './model-server.ts'
import type { Site } from './site.ts'
import { openTerminal } from './terminal.ts'

/** A running program, and how its user interrupts it. */
export interface Interruptible extends AsyncDisposable {
  interrupt(): Promise<void>
  /** Waits until it has said something. */
  says(words: RegExp): Promise<void>
  /** Waits for its end: all that it said, and as the last line `exit 130`. */
  ended(): Promise<string>
}

export type Way = 'Ctrl-C in a terminal' | 'SIGTERM'

export async function beginApply(site: Site, way: Way): Promise<Interruptible> {
  return way === 'SIGTERM' ? inBackground(site, ['apply', '-y']) : inTerminal(site)
}

/** The terminal signals all foreground processes, not only converge. */
async function inTerminal(site: Site): Promise<Interruptible> {
  const terminal = await openTerminal(site, ['apply', '-y'], { columns: 160 })
  return {
    interrupt: () => terminal.type('C-c'),
    says: async (words) => {
      await terminal.shows(words, 60_000)
    },
    ended: async () => {
      const exitCode = await terminal.exitCode()
      return `${await terminal.unbroken()}\nexit ${exitCode}`
    },
    [Symbol.asyncDispose]: () => terminal[Symbol.asyncDispose](),
  }
}

/** Runs a verb without waiting for its end. */
export function inBackground(site: Site, args: readonly string[]): Interruptible {
  const [file = '', ...before] = command
  const run = execa(file, [...before, ...site.arguments(args)], {
    env: site.environment(),
    extendEnv: false,
    cwd: site.home,
    stdin: 'ignore',
    reject: false,
    all: true,
    forceKillAfterDelay: false,
  })
  let output = ''
  run.all.setEncoding('utf8').on('data', (text: string) => (output += text))
  return {
    interrupt: async () => {
      run.kill('SIGTERM')
    },
    says: async (words) => {
      const seen = await until(
        async () => output,
        (text) => words.test(text),
        60_000,
      )
      if (!words.test(seen)) throw new Error(`it never said ${words}:\n${seen}`)
    },
    ended: async () => {
      const { exitCode, signal, all } = await run
      return `${all}\nexit ${exitCode ?? signal}`
    },
    [Symbol.asyncDispose]: async () => {
      run.kill('SIGKILL')
      await run
    },
  }
}
