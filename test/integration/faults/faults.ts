import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Script } from '../../../src/transports/script.ts'
import type { CommandResult } from '../../../src/transports/transport.ts'
import type { Stage } from './stage.ts'

/** One command of a run at the moment at which something goes wrong with it. */
export interface Struck {
  readonly stage: Stage
  readonly script: Script
  /** Has the host run it, with these lines before it. */
  readonly run: (before?: string) => Promise<CommandResult>
  /** From now on nothing reaches the host; the run notices that, or is killed. */
  readonly end: (line: 'cut' | 'killed') => never
  /** The answer does not come, this once. */
  readonly lose: () => never
  /** Stands before every script from now on, until the run is over. */
  readonly always: (before: string) => void
}

type Fault = (struck: Struck) => Promise<CommandResult>

/** What may go wrong with any command, by name. */
export const faults = {
  'cut-before': async ({ end }) => end('cut'),
  'cut-meanwhile': async ({ run, end }) => {
    void run()
    return end('cut')
  },
  'cut-after': async ({ run, end }) => {
    await run()
    return end('cut')
  },
  'answer-lost': async ({ run, lose }) => {
    await run()
    return lose()
  },
  'converge-killed-before': async ({ end }) => end('killed'),
  'converge-killed-meanwhile': async ({ run, end }) => {
    void run()
    return end('killed')
  },
  'converge-killed-after': async ({ run, end }) => {
    await run()
    return end('killed')
  },
  'command-killed-first': async ({ run }) => ended(await run(strikeAt('strike'))),
  'command-killed-halfway': async ({ run }) => ended(await run(strikeAt('"$@"; strike'))),
  'disk-full': async ({ run, always }) => {
    always(diskFull)
    return run()
  },
  'hangs-before': async ({ script }) => timedOut(script),
  'hangs-after': async ({ script, run }) => {
    await run()
    return timedOut(script)
  },
  'says-failed': async ({ run }) => ({ ...(await run()), exitCode: 1 }),
  'says-done': async () => ({ ...nothing, exitCode: 0 }),
  garbage: async () => ({ ...nothing, exitCode: 255, stdout: '\u0000\ufffd\u001b[2J', stderr: 'E: \ufffd\ufffd\n' }),
  'clock-forward': async ({ stage, run }) => {
    await stage.setClock(600)
    return run()
  },
  'clock-back': async ({ stage, run }) => {
    await stage.setClock(-3600)
    return run()
  },
  'lock-stolen': async ({ stage, run }) => {
    const owner = {
      owner: 'ann',
      controller: 'elsewhere',
      pid: 7,
      runId: 'run-of-ann',
      token: 'anns',
      since: '2026-11-01T00:00:00Z',
    }
    // Where there is no lock there is nothing to steal.
    await writeFile(join(stage.root, 'lock/owner'), `${JSON.stringify(owner)}\n`).catch(() => undefined)
    return run()
  },
} as const satisfies Readonly<Record<string, Fault>>

export type FaultName = keyof typeof faults

/** In the order of the matrix. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of this very object
export const faultNames = Object.keys(faults) as readonly FaultName[]

/** After these the run can still do something on the host, and knows what came of what it did. */
export const survivable: readonly FaultName[] = ['says-failed', 'garbage', 'clock-forward', 'clock-back', 'disk-full']

const nothing = { stdout: '', stderr: '', timedOut: false, ms: 1 } as const

function timedOut({ timeoutMs }: Script): CommandResult {
  return { ...nothing, exitCode: undefined, timedOut: true, ms: timeoutMs }
}

/** One without anything that could be struck was killed when it was done. */
function ended(result: CommandResult): CommandResult {
  return result.signal === undefined ? { ...result, exitCode: undefined, signal: 'KILL' } : result
}

/** A write finds no room; what needs none is done. */
const diskFull = `trap '' XFSZ; ulimit -f 0\n`

/** Where a script is about to change something, its whole process group ends: at once, or when that is done. */
function strikeAt(how: string): string {
  const wholly = ['mv', 'rm', 'rmdir', 'mkdir', 'ln', 'cp', 'kill']
  const words = how === 'strike' ? () => how : (tool: string) => `command ${tool} ${how}`
  return [
    'strike() { command kill -9 0; }',
    ...wholly.map((tool) => `${tool}() { ${words(tool)}; }`),
    `systemctl() { case $1 in show | is-* | cat | list-* | --version) command systemctl "$@" ;; *) ${words('systemctl')} ;; esac; }`,
    `launchctl() { case $1 in print* | list | managername) command launchctl "$@" ;; *) ${words('launchctl')} ;; esac; }`,
    '',
  ].join('\n')
}
