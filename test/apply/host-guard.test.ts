import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type ExpectStatic, it } from 'vitest'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import { known, unknown } from '../../src/model/observed.ts'
import type { RollbackTimer } from '../../src/model/rollback-timer.ts'
import { old, rollbackTimerScene } from '../support/rollback-timer-scene.ts'
import { actionOf } from './actions.ts'
import { play, start, update } from './guarded-run.ts'

const patient = { interval: 200 }
const notCoder = (service: string) => service !== 'coder'

function noAnswer(): never {
  throw new ConvergeError('CONNECT.TIMEOUT', { summary: 'gone', why: 'the host does not answer', next: [] })
}

const scene = () => rollbackTimerScene(['/bin/sh'])
const timer: RollbackTimer = {
  id: 't1',
  state: 'armed',
  service: 'coder',
  alive: true,
  at: 0,
  owner: 'ann',
  controller: 'desk',
  runId: 'run-1',
}

function expectArmed(host: Awaited<ReturnType<typeof scene>>, expect: ExpectStatic) {
  expect(host.states()).toEqual([expect.stringMatching(/^\w+\.armed$/)])
  const [name = ''] = host.states()
  const about: unknown = JSON.parse(readFileSync(host.at(join('deadman', name, 'about')), 'utf8'))
  expect(about).toEqual({ service: 'coder', runId: 'run-2', owner: 'op', controller: 'laptop' })
  expect(readFileSync(host.at(join('deadman', name, 'patience')), 'utf8')).toBe('180\n')
}

describe.concurrent('a running server that is replaced', { timeout: 60_000 }, () => {
  it('is guarded by its host until the new one is proved and a new connection said so', async ({ expect }) => {
    await using host = await scene()
    const armed: string[] = []
    const works = () => (armed.push(...host.states()), true)
    const { report, events, connections } = await play(host, { works })
    expect(armed).toEqual([expect.stringContaining('.armed')])
    expect(events).toEqual(['write', 'replace', 'prove coder', 'tidy', 'start writer', 'prove writer'])
    // Before what it would be put back from goes away.
    expect(connections).toEqual(['prove coder', 'closed'])
    expect(report.actions.map(({ status }) => status)).toEqual(['applied', 'applied'])
    expect(existsSync(host.at('deadman'))).toBe(false)
  })

  it('is confirmed without a proof if none is requested', async ({ expect }) => {
    await using host = await scene()
    const { events, connections } = await play(host, { level: 'none' })
    expect(events).toEqual(['write', 'replace', 'tidy', 'start writer'])
    expect(connections).toHaveLength(2)
    expect(host.states()).toEqual([])
  })

  it('stays guarded where there is no new connection, and nothing else is done there', async ({ expect }) => {
    await using host = await scene()
    const { report, events } = await play(host, { reconnect: noAnswer })
    expect(events).toEqual(['write', 'replace', 'prove coder'])
    expect(report.actions).toMatchObject([
      {
        status: 'failed',
        undone: 'left-to-host',
        problem: { code: 'APPLY.NOT_CONFIRMED', why: expect.stringContaining('the host does not answer') },
        left: expect.stringContaining('180 s after the last heartbeat'),
      },
      { status: 'not-run', left: expect.stringContaining('may still roll coder back') },
    ])
    expectArmed(host, expect)
  })

  it('stays guarded where the proof was interrupted, and that is said', async ({ expect }) => {
    await using host = await scene()
    const { report } = await play(host, { works: () => undefined })
    expect(report.actions).toMatchObject([
      { status: 'applied', left: expect.stringMatching(/was not tested; the host restores the previous server/) },
      { status: 'not-run' },
    ])
    expectArmed(host, expect)
  })

  it('is put back by the run that lives, and then not by the host', async ({ expect }) => {
    await using host = await scene()
    const { report, events } = await play(host, { works: notCoder })
    expect(events).toEqual(['write', 'replace', 'prove coder', "again it's", 'start writer', 'prove writer'])
    expect(report.actions[0]).toMatchObject({ status: 'failed', undone: 'restored', problem: { code: 'APPLY.NOT_PROVED' } })
    expect(host.states()).toEqual([])
  })

  it('is disarmed once a failed step was undone', async ({ expect }) => {
    await using host = await scene()
    const { report } = await play(host, { replaceFails: true })
    expect(report.actions[0]).toMatchObject({ status: 'failed', undone: 'restored', problem: { code: 'APPLY.STEP_FAILED' } })
    expect(host.states()).toEqual([])
  })

  it('is not touched where its guard cannot be left there', async ({ expect }) => {
    await using host = await scene()
    writeFileSync(host.at('deadman'), 'a file')
    const { report, events } = await play(host, { timers: known([]) })
    expect(events).toEqual(['start writer', 'prove writer'])
    expect(report.actions[0]).toMatchObject({ status: 'failed', undone: 'not-needed', problem: { code: 'APPLY.STEP_FAILED' } })
  })

  it('whose host has put it back already is not said to be replaced', async ({ expect }) => {
    await using host = await scene()
    let name = ''
    const works = () => {
      name = host.states()[0] ?? ''
      writeFileSync(host.at(join('deadman', name, 'due')), '')
      return true
    }
    const undone = () => host.states().every((one) => one.endsWith('.undone'))
    const { report } = await play(host, {
      works,
      actions: [update],
      real: true,
      reconnect: () => {
        if (!undone()) noAnswer()
      },
    })
    expect(report.actions).toMatchObject([{ status: 'failed', undone: 'restored', problem: { code: 'APPLY.NOT_CONFIRMED' } }])
    expect(host.events()).toContain("again it's")
  })
})

describe.concurrent('a run that finds what an earlier one left to the host', { timeout: 90_000 }, () => {
  it('proves it, cancels the timer over a new connection, and continues', async ({ expect }) => {
    await using host = await scene()
    await host.arm(expect)
    const { report, events, connections, notes } = await play(host, { timers: known([timer]), actions: [start] })
    expect(events).toEqual(['prove coder', 'start writer', 'prove writer'])
    expect(connections).toEqual(['prove coder', 'closed'])
    expect(notes).toContainEqual(expect.stringContaining('coder works and is confirmed'))
    expect(report.smoke.map(({ service }) => service)).toEqual(['coder', 'writer'])
    expect(host.states()).toEqual([])
  })

  it.for([
    ['does not work', true, ['prove coder', "again it's", 'start writer', 'prove writer']],
    ['cannot be proved', false, ["again it's", 'start writer', 'prove writer']],
  ] as const)('makes the host restore a server that %s, waits for it, and continues', async ([, canProve, order], { expect }) => {
    await using host = await scene()
    await host.arm(expect)
    await host.replace(expect)
    const { events, notes } = await play(host, {
      timers: known([timer]),
      actions: [start],
      works: notCoder,
      canProve,
      real: true,
    })
    expect(events).toEqual(order)
    expect(notes).toContainEqual('the host rolled coder back')
    expect(host.states()).toEqual(['t1.undone'])
  })

  it('has nothing put back that the plan did not show, and does nothing else there', async ({ expect }) => {
    await using host = await scene()
    await host.arm(expect)
    await host.replace(expect)
    const { report, events } = await play(host, { timers: known([timer]), actions: [start], works: notCoder, shown: [] })
    expect(events).toEqual(['prove coder'])
    expect(report.problem).toMatchObject({
      code: 'APPLY.NOT_CONFIRMED',
      why: expect.stringContaining('the plan did not show its rollback'),
    })
    expect(host.states()).toEqual(['t1.armed'])
    const second = await play(host, { timers: known([timer]), actions: [], shown: [] })
    expect(second.report.problem).toBeUndefined()
    expect(host.states()).toEqual([])
  })

  it('leaves it armed while it replaces the service once more, and calls it off when that is proved', async ({ expect }) => {
    await using host = await scene()
    await host.arm(expect)
    await host.replace(expect)
    const seen: string[] = []
    const works = () => (seen.push(...host.states()), true)
    const { events, connections } = await play(host, { timers: known([timer]), actions: [update], works })
    expect(events).toEqual(['write', 'replace', 'prove coder', 'tidy'])
    expect(seen).toEqual(['t1.armed'])
    expect(connections.length).toBeGreaterThanOrEqual(2)
    expect(host.states()).toEqual([])
  })

  it('leaves it armed and unproved for a later play that replaces the service', async ({ expect }) => {
    await using host = await scene()
    await host.arm(expect)
    const { report, events } = await play(host, { timers: known([timer]), actions: [start], later: ['coder'], works: notCoder })
    expect(events).toEqual(['start writer', 'prove writer'])
    expect(report.problem).toBeUndefined()
    expect(host.states()).toEqual(['t1.armed'])
  })

  it('keeps what that would go back to, so that the host still can where the second one does not work either', async ({
    expect,
  }) => {
    await using host = await scene()
    await host.arm(expect)
    await host.replace(expect)
    const { report, events } = await play(host, {
      timers: known([timer]),
      actions: [update, start],
      works: notCoder,
      keeps: true,
    })
    expect(events).toEqual(['write', 'replace', 'prove coder', "again it's"])
    expect(report.actions[0]).toMatchObject({
      status: 'failed',
      undone: 'left-to-host',
      left: expect.stringMatching(/as an earlier run left it, untested; the host restores the previous server/),
    })
    expect(report.actions[1]).toMatchObject({ status: 'not-run' })
    // Shorter only now: the run above may take longer than seconds.
    host.hurry(2)
    await expect.poll(host.states, patient).toEqual(['t1.undone'])
    expect(readFileSync(host.at('definition'), 'utf8')).toBe(old)
    expect(readFileSync(host.at('key'), 'utf8')).toBe('old-key\n')
  })

  it('does not take away what the host would go back to before what it only started again is proved', async ({ expect }) => {
    await using host = await scene()
    await host.arm(expect)
    const restart = actionOf('nas', 'coder', 'restart')
    const { events } = await play(host, { timers: known([timer]), actions: [restart] })
    expect(events).toEqual(['restart', 'prove coder', 'tidy'])
    expect(host.states()).toEqual([])
    await host.arm(expect)
    const second = await play(host, { timers: known([timer]), actions: [restart, start], works: notCoder })
    expect(second.events.slice(events.length)).toEqual(['restart', 'prove coder'])
    expect(second.report.actions).toMatchObject([
      { status: 'failed', left: expect.stringContaining('the host restores the previous server') },
      { status: 'not-run' },
    ])
    expect(host.states()).toEqual(['t1.armed'])
    const third = await play(host, { timers: known([timer]), actions: [restart], level: 'none' })
    expect(third.report.problem).toBeUndefined()
    expect(host.states()).toEqual([])
  })

  it.for(['smoke', 'none'] as const)(
    'proves what the earlier run had brought as far as it was to be (%s)',
    async (level, { expect }) => {
      await using host = await scene()
      await host.arm(expect)
      const broken = await play(host, { timers: known([timer]), actions: [update], isDone: true, works: notCoder, level })
      expect(broken.report).toMatchObject({ actions: [{ status: 'not-needed' }], smoke: [{ service: 'coder', ok: false }] })
      expect(host.states()).toEqual(['t1.armed'])
      const { report } = await play(host, { timers: known([timer]), actions: [update], isDone: true, level })
      expect(report).toMatchObject({ actions: [{ status: 'not-needed' }], smoke: [{ service: 'coder', ok: true }] })
      expect(host.states()).toEqual([])
    },
  )

  it('has what a Kind B is to take the place of put back before, and never beside it', async ({ expect }) => {
    await using host = await scene()
    await host.arm(expect)
    await host.replace(expect)
    const { events } = await play(host, { timers: known([timer]), actions: [update], canProve: false, real: true })
    expect(events).toEqual(["again it's", 'write', 'replace', 'prove coder', 'tidy'])
    expect(host.states()).toEqual(['t1.undone'])
  })

  it('never calls it off unproved: an interrupt leaves it there, and nothing is done', async ({ expect }) => {
    await using host = await scene()
    await host.arm(expect)
    const { report, events } = await play(host, { timers: known([timer]), actions: [start], works: () => undefined })
    expect(events).toEqual(['prove coder'])
    expect(report).toMatchObject({ problem: { code: 'APPLY.NOT_CONFIRMED' }, actions: [{ status: 'not-run' }] })
    expect(host.states()).toEqual(['t1.armed'])
  })

  it('does nothing if the outcome is unknown', async ({ expect }) => {
    await using host = await scene()
    await host.arm(expect)
    const { report, events } = await play(host, { timers: unknown('not-permitted', 'it may not be read'), actions: [start] })
    expect(events).toEqual([''])
    expect(report.problem).toMatchObject({ code: 'APPLY.NOT_CONFIRMED', why: expect.stringContaining('it may not be read') })
  })

  it('reports once what the host restored', async ({ expect }) => {
    await using host = await scene()
    await host.arm(expect, { patienceS: 2 })
    await expect.poll(host.states, patient).toEqual(['t1.undone'])
    await play(host, { reported: ['t1'], actions: [start], works: () => false })
    expect(readdirSync(host.at('deadman'))).toEqual(['t1.undone'])
    await play(host, { reported: ['t1'], actions: [start] })
    expect(existsSync(host.at('deadman'))).toBe(false)
  })
})
