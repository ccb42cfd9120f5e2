import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { command } from './converge.ts'
import { until } from './model-server.ts'
import type { Site } from './site.ts'

/** A run in a terminal of its own: what is on the screen is what a person sees. */
export interface Terminal extends AsyncDisposable {
  /** All that was shown and not wiped off again, scrolled out lines included; rows as they stand there. */
  screen(): Promise<string>
  /** The same with what the terminal broke put together again. */
  unbroken(): Promise<string>
  type(text: string): Promise<void>
  /** Waits for words on the screen. */
  shows(words: RegExp, timeoutMs?: number): Promise<string>
  /** Waits for the end of the run. */
  exitCode(): Promise<number>
}

let count = 0

export async function openTerminal(
  site: Pick<Site, 'directory' | 'home' | 'arguments' | 'environment'>,
  args: readonly string[],
  options: { columns: number; rows?: number; env?: Readonly<Record<string, string>> },
): Promise<Terminal> {
  const socket = `converge-e2e-${process.pid}-${count++}`
  const tmux = (...words: readonly string[]) => execa('tmux', ['-L', socket, '-f', '/dev/null', ...words])
  const ended = join(site.directory, `${socket}.exit`)
  const environment = Object.entries({ TERM: 'screen-256color', ...site.environment(options.env) }).map(
    ([name, value]) => `${name}=${value}`,
  )
  const line = ['env', '-i', '-C', site.home, ...environment, ...command, ...site.arguments(args)].map(quoted).join(' ')
  await tmux(
    'new-session',
    '-d',
    '-x',
    String(options.columns),
    '-y',
    String(options.rows ?? 40),
    // Ctrl-C reaches this shell as well.
    `trap : INT; ${line}; echo $? >${quoted(ended)}; sleep 600`,
  )
  await tmux('set-option', '-g', 'history-limit', '5000')
  const capture = async (...more: readonly string[]) => (await tmux('capture-pane', '-p', '-S', '-', ...more)).stdout.trimEnd()
  return {
    screen: () => capture(),
    unbroken: () => capture('-J'),
    type: async (text) => {
      await tmux('send-keys', text)
    },
    shows: async (words, timeoutMs = 60_000) => {
      const seen = await until(capture, (text) => words.test(text), timeoutMs)
      if (!words.test(seen)) throw new Error(`the terminal never showed ${words}:\n${seen}`)
      return seen
    },
    exitCode: async () => {
      const said = await until(
        () => contentOf(ended),
        (text) => text !== '',
        90_000,
      )
      if (said === '') throw new Error(`the run did not end:\n${await capture()}`)
      return Number(said)
    },
    [Symbol.asyncDispose]: async () => {
      await execa('tmux', ['-L', socket, 'kill-server'], { reject: false })
    },
  }
}

function contentOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '')
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
