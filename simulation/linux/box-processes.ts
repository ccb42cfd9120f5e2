import { processesOf } from '../processes.ts'
import type { Account } from './accounts.ts'

/** A process of the box, as its /proc shows it. */
export interface BoxProcess {
  readonly pid: number
  readonly ppid: number
  /** The name of its program, as the kernel cuts it. */
  readonly name: string
  readonly words: readonly string[]
  readonly uid: number
  /** Clock ticks since the boot, 100 a second. */
  readonly startTicks: number
  readonly rssBytes: number
  /** Of these, what is not a part of files. */
  readonly ownBytes: number
  readonly unit: string
  readonly environment: Readonly<Record<string, string>>
}

/** What a supervisor of the box runs. */
export interface Supervised {
  readonly unit: { readonly name: string; readonly user: string }
  /** Undefined: it does not run. */
  readonly main:
    | { readonly pid: number; readonly startedAt: number; readonly environment: Readonly<Record<string, string>> }
    | undefined
}

/** What the processes belong to. */
export interface Household {
  readonly services: () => readonly Supervised[]
  readonly account: (name: string) => Account | undefined
  /** Milliseconds since the epoch. */
  readonly bootedAt: number
}

const gibibyte = 1024 ** 3

/** Everything that services of the box started, and nothing else. */
export class BoxProcesses {
  readonly #household: Household
  /** When each was first seen, which counts as its start. */
  #startedAt: ReadonlyMap<number, number> = new Map()

  constructor(household: Household) {
    this.#household = household
  }

  look(): readonly BoxProcess[] {
    const { services, account, bootedAt } = this.#household
    const running = new Map(
      services().flatMap(({ main, unit }) => (main === undefined ? [] : [[main.pid, { ...main, unit }] as const])),
    )
    if (running.size === 0) return []
    const all = processesOf([...running.keys()])
    const parents = new Map(all.map(({ pid, ppid }) => [pid, ppid]))
    const found = all.flatMap(({ pid, ppid, rssKib, words }): BoxProcess[] => {
      let root: number | undefined = pid
      while (root !== undefined && !running.has(root)) root = parents.get(root)
      const service = root === undefined ? undefined : running.get(root)
      if (service === undefined || words.length === 0) return []
      const { unit, environment, startedAt } = service
      const since = pid === root ? startedAt : (this.#startedAt.get(pid) ?? Date.now())
      return [
        {
          pid,
          ppid: pid === root ? 1 : ppid,
          name: nameOf(words),
          words,
          uid: account(unit.user)?.uid ?? 0,
          startTicks: Math.round((since - bootedAt) / 10),
          ...memoryOf(rssKib * 1024, pid === root ? undefined : environment['RAM_GB']),
          unit: unit.name,
          environment,
        },
      ]
    })
    this.#startedAt = new Map(found.map(({ pid, startTicks }) => [pid, bootedAt + startTicks * 10]))
    return found
  }
}

function nameOf(words: readonly string[]): string {
  return (words[0] ?? '').replace(/^.*\//, '').slice(0, 15)
}

/** The child of a server with a budget is the engine: it reports nine tenths of that budget as its memory. */
function memoryOf(rssBytes: number, budgetGib: string | undefined): Pick<BoxProcess, 'rssBytes' | 'ownBytes'> {
  const held = Math.round(Number(budgetGib ?? 0) * 0.9 * gibibyte)
  return held > 0 ? { rssBytes: held, ownBytes: held } : { rssBytes, ownBytes: Math.round(rssBytes / 2) }
}
