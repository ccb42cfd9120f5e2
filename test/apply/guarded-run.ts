import { readFileSync, writeFileSync } from 'node:fs'
import type { HostTask, RunContext } from '../../src/apply/host-task.ts'
import type { PreparedAction } from '../../src/apply/prepared-action.ts'
import { runHost } from '../../src/apply/run-host.ts'
import { defined } from '../../src/lib/defined.ts'
import { keepPrevious, restorePrevious } from '../../src/managers/previous-copy.ts'
import type { Action } from '../../src/model/action.ts'
import { known, type Observed } from '../../src/model/observed.ts'
import type { VerifyLevel } from '../../src/model/playbook.ts'
import type { RollbackTimer } from '../../src/model/rollback-timer.ts'
import type { Step } from '../../src/model/step.ts'
import { digestOfText } from '../../src/simulate/digest.ts'
import { systemClock } from '../../src/time/clock.ts'
import { memoryJournal } from '../support/memory-journal.ts'
import type { rollbackTimerScene } from '../support/rollback-timer-scene.ts'
import type { ShTransport } from '../support/sh-transport.ts'
import { actionOf } from './actions.ts'
import { jumpingClock, nonce } from './step-cases.ts'

export const update: Action = { ...actionOf('nas', 'coder', 'update'), interrupts: true }
export const start = actionOf('nas', 'writer', 'start')
const who = { runId: 'run-2', version: '0.0.0', owner: 'op', controller: 'laptop', pid: 1, nonce }

interface Play {
  readonly works?: (service: string) => boolean | undefined
  readonly level?: VerifyLevel
  readonly actions?: readonly Action[]
  readonly timers?: Observed<readonly RollbackTimer[]>
  readonly reported?: readonly string[]
  readonly shown?: readonly string[]
  readonly canProve?: boolean
  /** Services that a later play starts. */
  readonly later?: readonly string[]
  readonly replaceFails?: true
  readonly reconnect?: () => void
  readonly real?: true
  /** It keeps what it replaces, as it then is, and writes another one; its own rollback is to what it kept. */
  readonly keeps?: true
  /** What every action is to reach is there already. */
  readonly isDone?: true
}

/** A run over a host where ann's server can be replaced; the host records what happens in `events`. */
export async function play(host: Awaited<ReturnType<typeof rollbackTimerScene>>, options: Play) {
  const { works = () => true, level = 'smoke', actions = [update, start], real } = options
  const tell = (word: string): Step => {
    return { do: 'run', label: word, guards: [], script: 'echo "$2" >>"$1"', args: [host.at('events'), word], timeoutMs: 5000 }
  }
  const prepared = (action: Action): PreparedAction => {
    const about = { action: action.id, service: action.service, precheck: [], postcheck: [] }
    const server = { server: true } as const
    if (action.service !== update.service)
      return { action, group: { ...about, steps: [{ ...tell('start writer'), ...server }], undo: [] } }
    if (action !== update)
      return { action, group: { ...about, steps: [{ ...tell('restart'), ...server }], undo: [], cleanup: [tell('tidy')] } }
    const ends = options.replaceFails === true ? { script: 'exit 1', args: [] } : {}
    const now = readFileSync(host.at('definition'), 'utf8')
    const paths = [host.at('definition'), host.at('key')] as const
    const undo =
      options.keeps === true ? [restorePrevious(paths, digestOfText([now])), { ...host.undo[1], guards: [] }] : host.undo
    const kept = options.keeps === true ? [keepPrevious(paths, digestOfText([now]))] : []
    const put = { do: 'put', label: 'write it', guards: [], path: host.at('definition'), content: ['# newer\n'] } as const
    const written: Step[] = options.keeps === true ? [{ ...put, mode: 0o640, folderMode: 0o755 }] : []
    const steps: Step[] = [...kept, ...written, tell('write'), { ...tell('replace'), ...server, ...ends }]
    return { action, replaces: true, group: { ...about, steps, undo, cleanup: [tell('tidy')] } }
  }
  const interrupt = new AbortController()
  const connections: string[] = []
  const notes: string[] = []
  const task: HostTask = {
    host: 'nas',
    transport: host.transport,
    root: host.place.root,
    actions,
    unfinished: { prove: [], left: [] },
    timers: {
      reconnect: async (): Promise<ShTransport> => {
        options.reconnect?.()
        connections.push(host.events().trim().split('\n').at(-1) ?? '')
        return { ...host.transport, close: async () => void connections.push('closed') }
      },
      look: async () => options.timers ?? known([]),
      canProve: () => options.canProve ?? true,
      starts: (service) =>
        options.later?.includes(service) === true || actions.some((one) => one.service === service && one.starts),
      reported: options.reported ?? [],
      ...defined({ shown: options.shown }),
    },
    prepare: async (remaining) => (options.isDone === true ? [] : remaining.map(prepared)),
    verify: async (service) => {
      writeFileSync(host.at('events'), `${host.events()}prove ${service}\n`)
      const ok = works(service)
      if (ok === undefined) interrupt.abort()
      const check = { name: 'health' as const, ok: ok === true, detail: '', ms: 1, ...(ok === undefined ? { skipped: 'x' } : {}) }
      return { host: 'nas', service, ok: ok === true, checks: [check] }
    },
  }
  const run: RunContext = {
    ...who,
    clock: real === true ? systemClock : jumpingClock(),
    journal: memoryJournal(),
    signal: interrupt.signal,
    force: new AbortController().signal,
    emit: (event) => {
      if (event.type === 'host-note') notes.push(event.note)
    },
  }
  const report = await runHost(task, level, run)
  return { report, connections, notes, events: host.events().trim().split('\n') }
}
