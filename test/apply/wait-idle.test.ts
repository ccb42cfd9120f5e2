import { describe, expect, it } from 'vitest'
import type { ReadyAction } from '../../src/apply/prepared-action.ts'
import { runActions } from '../../src/apply/run-actions.ts'
import { createStepJournal } from '../../src/apply/step-journal.ts'
import { createIdleWait, type LookAtRequests } from '../../src/apply/wait-idle.ts'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import type { RunEvent } from '../../src/model/event.ts'
import type { Step } from '../../src/model/step.ts'
import { memoryJournal, runOn } from '../support/memory-journal.ts'
import { shTransport } from '../support/sh-transport.ts'
import { actionOf } from './actions.ts'
import { jumpingClock, nonce } from './step-cases.ts'

const update = { ...actionOf('nas', 'coder', 'update'), wait_idle_s: 60 }
const start = actionOf('nas', 'writer', 'start')
const idle = undefined
const busy = (requests = 1) => ({ requests })

/** Answers one after another, the last one for ever. */
function answers(...replies: readonly ({ readonly requests?: number } | undefined)[]): LookAtRequests {
  let looks = 0
  return async () => replies[Math.min(looks++, replies.length - 1)]
}

/** Writes a file, touches the server, and puts the file back where it may. */
function ready(folder: string, look: LookAtRequests): ReadyAction {
  const run = (label: string, script: string, more: Partial<Step> = {}): Step =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a `run` step whatever more there is
    ({ do: 'run', label, guards: [], script, args: [folder], timeoutMs: 5000, ...more }) as Step
  return {
    action: update,
    idle: createIdleWait(update, 60_000, look),
    group: {
      action: update.id,
      service: 'coder',
      precheck: [],
      steps: [run('write', 'echo new >"$1/file"'), run('restart', 'echo restarted >>"$1/server"', { server: true })],
      postcheck: [],
      undo: [run('put back', 'echo old >"$1/file"'), run('run as before', 'echo back >>"$1/server"', { server: true })],
    },
    record: null,
  }
}

async function play(look: LookAtRequests, options: { readonly signal?: AbortSignal; readonly undo?: [] } = {}) {
  await using host = await shTransport()
  const events: RunEvent[] = []
  let prepared = 0
  const clock = jumpingClock()
  const { signal, undo } = options
  const journal = createStepJournal(memoryJournal(), runOn('nas', host.folder))
  const context = { host: 'nas', transport: host, clock, nonce, journal, emit: (event: RunEvent) => events.push(event) }
  const acted = await runActions(
    {
      actions: [update, start],
      prepare: async (remaining) => {
        prepared += 1
        const { group, ...rest } = ready(host.folder, look)
        const found = { ...rest, group: undo === undefined ? group : { ...group, undo } }
        return remaining.map((action) => (action === update ? found : { action, problem: laterOnly }))
      },
    },
    signal === undefined ? context : { ...context, signal },
  )
  const seen = await host.exec({
    label: 'look',
    text: ['cd "$1"; cat file server 2>/dev/null; :'],
    args: [host.folder],
    elevate: false,
    timeoutMs: 5000,
  })
  const notes = events.flatMap((event) => (event.type === 'waiting' ? [event.note] : []))
  return { acted, notes, prepared, ms: clock.now(), left: seen.stdout.trim().split('\n').filter(Boolean) }
}

const laterOnly = { code: 'PLAN.TEST', summary: 'judged', why: '', next: [] }

describe('an action that waits for its server', () => {
  it('continues at once if the server is idle', async () => {
    const { acted, notes, prepared, left } = await play(answers(idle))
    expect(acted.results[0]).toMatchObject({ status: 'applied' })
    expect(left).toEqual(['new', 'restarted'])
    expect({ notes, prepared }).toEqual({ notes: [], prepared: 1 })
  })

  it('sees the moment between two requests, and looks at the host again before it acts', async () => {
    const { acted, notes, prepared, ms } = await play(answers(busy(2), busy(1), busy(1), idle))
    expect(acted.results[0]).toMatchObject({ status: 'applied' })
    expect(notes).toEqual([
      'busy with 2 requests; waiting until it is idle, 1m at most',
      'busy with a request; waiting until it is idle, 1m at most',
      'busy with a request; waiting until it is idle, 1m at most',
    ])
    expect(prepared).toBe(2)
    expect(ms).toBeLessThan(3000)
  })

  it('is not done when the time is up; nothing was written, and what comes behind it is judged without it', async () => {
    const { acted, left, ms, prepared } = await play(answers(busy()))
    expect(acted.results).toMatchObject([
      { status: 'not-run', problem: { code: 'APPLY.STILL_BUSY', why: expect.stringContaining('waited 1m') } },
      { status: 'not-run', problem: laterOnly },
    ])
    expect(left).toEqual([])
    expect(ms).toBe(60_000)
    expect(prepared).toBe(2)
  })

  it('takes back what it wrote where a request came in meanwhile and does not end; the server was never touched', async () => {
    const { acted, left, ms } = await play(answers(idle, busy(1)))
    expect(acted.results[0]).toMatchObject({ status: 'not-run', problem: { code: 'APPLY.STILL_BUSY' } })
    expect(left).toEqual(['old'])
    expect(ms).toBe(60_000)
  })

  it('is not a failure either if only steps without a rollback were done', async () => {
    const { acted } = await play(answers(idle, busy(1)), { undo: [] })
    expect(acted.results[0]).toMatchObject({ status: 'not-run', problem: { code: 'APPLY.STILL_BUSY' } })
  })

  it('has one time for all its looks', async () => {
    const slow = answers(...Array.from({ length: 40 }, () => busy()), idle, busy())
    const { acted, ms } = await play(slow)
    expect(acted.results[0]).toMatchObject({ status: 'not-run', problem: { code: 'APPLY.STILL_BUSY' } })
    expect(ms).toBe(60_000)
  })

  it('ends at once at an interrupt, before anything is done', async () => {
    const interrupt = new AbortController()
    const look = async () => {
      interrupt.abort()
      return busy()
    }
    const { acted, left, ms } = await play(look, { signal: interrupt.signal })
    expect(acted.results.map(({ status, left: why }) => ({ status, why }))).toEqual([
      { status: 'not-run', why: 'the run was interrupted before this action' },
      { status: 'not-run', why: 'the run was interrupted before this action' },
    ])
    expect({ left, ms }).toEqual({ left: [], ms: 0 })
  })

  it('is not done where the connection breaks while it waits', async () => {
    const lost = new ConvergeError('CONNECT.LOST', { summary: 'gone', why: 'the line was cut', next: [] })
    const { acted, left } = await play(() => Promise.reject(lost))
    expect(acted.results[0]).toMatchObject({ status: 'not-run', problem: { code: 'CONNECT.LOST' } })
    expect(left).toEqual([])
  })
})
