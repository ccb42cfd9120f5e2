import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { inward } from '../border.ts'
import { holdLifeline, lifelineVariable } from '../lifeline.ts'
import { wordsOf } from '../process-table.ts'
import type { Account } from './accounts.ts'
import { borderOf } from './border.ts'
import type { Journal } from './journal.ts'
import type { UnitFile } from './unit-file.ts'
import { environmentIn, withVariables } from './unit-words.ts'

/** What a service needs of the box. */
export interface ServiceHost {
  readonly root: string
  /** Seconds of this systemd per real second. */
  readonly pace: number
  /** Milliseconds since the epoch. */
  readonly bootedAt: number
  readonly journal: Journal
  readonly account: (name: string) => Account | undefined
}

export type Started =
  | { readonly child: ChildProcess; readonly pid: number; readonly environment: Readonly<Record<string, string>> }
  /** The exit status of a forked child that could not execute the program. */
  | { readonly status: 203 | 217 }
  | { readonly resources: string }

/**
 * Starts the unit's program in a process group of its own. Paths among its words and in `Environment=` are those inside the box;
 * the content of an environment file is passed unchanged, because it may be a key.
 */
export async function startProcess(unit: UnitFile, { root, journal, account }: ServiceHost): Promise<Started> {
  const runsAs = account(unit.user)
  if (runsAs === undefined) return { status: 217 }
  const fromFiles: Record<string, string> = {}
  for (const { path, optional } of unit.environmentFiles) {
    const content = contentOf(`${root}${path}`)
    if (content === undefined && !optional) return { resources: 'Failed to load environment files: No such file or directory' }
    Object.assign(fromFiles, environmentIn(content ?? ''))
  }
  const own = Object.entries(unit.environment).map(([name, value]) => [name, inward(borderOf(root), value)] as const)
  const environment = {
    LANG: 'C.UTF-8',
    PATH: `${root}/usr/local/sbin:${root}/usr/local/bin:${root}/usr/sbin:${root}/usr/bin`,
    HOME: `${root}${runsAs.home}`,
    LOGNAME: runsAs.name,
    USER: runsAs.name,
    SHELL: '/bin/sh',
    INVOCATION_ID: randomUUID().replaceAll('-', ''),
    ...Object.fromEntries(own),
    ...fromFiles,
  }
  const command = withVariables(unit.command, environment).map((word) => inward(borderOf(root), word))
  return (await spawnOnBox(command, environment, { root, journal, unit: unit.name })) ?? { status: 203 }
}

/** Starts a program in a process group of its own, with its words as this machine has them; undefined: there is no such program. */
export async function spawnOnBox(
  [program = '', ...words]: readonly string[],
  environment: Readonly<Record<string, string>>,
  { root, journal, unit }: Pick<ServiceHost, 'root' | 'journal'> & { readonly unit: string },
): Promise<Extract<Started, { readonly pid: number }> | undefined> {
  const child = spawn(program, words, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...environment, ...lifelineVariable, SIMULATED_ROOT: root },
  })
  holdLifeline(child)
  const pid = await new Promise<number | undefined>((resolve) => {
    child.once('spawn', () => resolve(child.pid))
    child.once('error', () => resolve(undefined))
  })
  if (pid === undefined) return undefined
  const source = { unit, program: program.slice(program.lastIndexOf('/') + 1), pid }
  for (const stream of [child.stdout, child.stderr]) if (stream !== null) journal.listen(stream, source)
  await executed(pid, root)
  return { child, pid, environment }
}

/** The programs of the box are scripts that end with an exec: until then a process is not the real program yet. */
async function executed(pid: number, root: string): Promise<void> {
  for (const end = Date.now() + 300; Date.now() < end; await sleep(5)) {
    const [shell, script] = wordsOf(pid)
    if (shell !== '/bin/sh' || script?.startsWith(root) !== true) return
  }
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** False: no process of the group is left. */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal)
  } catch {
    return false
  }
}
