import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { claimPlan, releaseClaim } from '../../src/apply/claim-plan.ts'
import type { HostTask, RunContext } from '../../src/apply/host-task.ts'
import { runHost } from '../../src/apply/run-host.ts'
import type { ActionResult, HostReport } from '../../src/model/report.ts'
import { systemClock } from '../../src/time/clock.ts'
import { memoryJournal } from '../support/memory-journal.ts'
import { type ShTransport, shTransport } from '../support/sh-transport.ts'
import { actionOf } from './actions.ts'
import { nonce } from './step-cases.ts'

const id = '0123456789abcdef'
const update = actionOf('nas', 'coder', 'update')
const group = { action: update.id, service: 'coder', precheck: [], steps: [], postcheck: [], undo: [] }
const busy = { code: 'APPLY.STILL_BUSY', summary: 'It is busy.', why: '', next: [] } as const

interface Run {
  readonly runId: string
  /** Whether its one action is held back. */
  readonly busy?: true
  /** Aborted for the second time, or the connection lost, once the action was held back. */
  readonly ends?: 'forced' | 'cut'
}

async function apply(host: ShTransport, { runId, ends, ...how }: Run): Promise<HostReport & { readonly notes: string }> {
  const force = new AbortController()
  let held = false
  const exec: ShTransport['exec'] = async (script, options) => {
    const text = script.label.startsWith('release the claim') && ends === 'cut' && held ? [`kill -9 $$\n`] : script.text
    return host.exec({ ...script, text }, options)
  }
  const task: HostTask = {
    host: 'nas',
    transport: { ...host, exec },
    root: host.folder,
    actions: [update],
    savedPlan: id,
    prepare: async () => {
      if (how.busy === undefined) return [{ action: update, group }]
      held = true
      if (ends === 'forced') force.abort()
      return [{ action: update, problem: busy }]
    },
    verify: async (service) => ({ host: 'nas', service, ok: true, checks: [] }),
  }
  const notes: string[] = []
  const context: RunContext = {
    runId,
    version: '1',
    owner: 'op',
    controller: 'laptop',
    pid: 1,
    clock: systemClock,
    journal: memoryJournal(),
    nonce,
    emit: (event) => void (event.type === 'host-note' && notes.push(event.note)),
    signal: new AbortController().signal,
    force: force.signal,
  }
  return { ...(await runHost(task, 'smoke', context)), notes: notes.join('\n') }
}

const became = ({
  actions,
  problem,
}: {
  readonly actions: readonly ActionResult[]
  readonly problem?: { readonly code: string }
}) =>
  [...actions.map(({ status, problem: own }) => own?.code ?? status), problem?.code].filter((one) => one !== undefined).join(' ')

const about = (runId: string) => ({ id, runId, host: 'nas' })

describe('a saved plan on a host', () => {
  it('is applied by one run', async () => {
    await using host = await shTransport(['/bin/sh'], 'nas')
    expect(became(await apply(host, { runId: 'run-1' }))).toBe('applied')
    expect(became(await apply(host, { runId: 'run-2' }))).toBe('not-run PLAN.USED')
  })

  it('can be applied after a run that came to nothing', async () => {
    await using host = await shTransport(['/bin/sh'], 'nas')
    const first = await apply(host, { runId: 'run-1', busy: true })
    expect([became(first), first.notes]).toEqual(['APPLY.STILL_BUSY', ''])
    expect(readdirSync(join(host.folder, 'plans'))).toEqual([])
    expect(became(await apply(host, { runId: 'run-2' }))).toBe('applied')
  })

  it.each(['forced', 'cut'] as const)('counts as applied where that could not be noted: %s', async (ends) => {
    await using host = await shTransport(['/bin/sh'], 'nas')
    expect((await apply(host, { runId: 'run-1', busy: true, ends })).notes).toContain('It counts as applied')
    expect(became(await apply(host, { runId: 'run-2' }))).toBe('not-run PLAN.USED')
  })

  it('stays applied where another play of the run did something', async () => {
    await using host = await shTransport(['/bin/sh'], 'nas')
    await apply(host, { runId: 'run-1' })
    expect(became(await apply(host, { runId: 'run-1', busy: true }))).toBe('APPLY.STILL_BUSY')
    expect(became(await apply(host, { runId: 'run-2' }))).toBe('not-run PLAN.USED')
    expect(became(await apply(host, { runId: 'run-1' }))).toBe('applied')
  })

  it('is released only by its claimant', async () => {
    await using host = await shTransport(['/bin/sh'], 'nas')
    const context = { transport: host, clock: systemClock, nonce }
    expect(await claimPlan(host.folder, about('run-1'), context)).toBeUndefined()
    expect(await releaseClaim(host.folder, about('run-2'), context)).toContain('It counts as applied')
    expect(await claimPlan(host.folder, about('run-2'), context)).toMatchObject({ code: 'PLAN.USED' })
    expect(await releaseClaim(host.folder, about('run-1'), context)).toBeUndefined()
    expect(await claimPlan(host.folder, about('run-2'), context)).toBeUndefined()
  })
})
