import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PreparedAction } from '../../src/apply/prepared-action.ts'
import { runHost } from '../../src/apply/run-host.ts'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import type { Action } from '../../src/model/action.ts'
import type { VerifyLevel } from '../../src/model/playbook.ts'
import type { SmokeResult } from '../../src/model/report.ts'
import type { Step } from '../../src/model/step.ts'
import { memoryJournal } from '../support/memory-journal.ts'
import { shTransport } from '../support/sh-transport.ts'
import { actionOf } from './actions.ts'
import { jumpingClock, nonce } from './step-cases.ts'

/** A server is replaced, and another one started behind it; what happens is written down in a file on the host. */
const update: Action = { ...actionOf('nas', 'coder', 'update'), interrupts: true }
const start = actionOf('nas', 'writer', 'start')

function step(folder: string, word: string, more: { readonly server?: true } = {}): Step {
  return { do: 'run', label: word, guards: [], script: 'echo "$2" >>"$1/events"', args: [folder, word], timeoutMs: 5000, ...more }
}

function prepared(folder: string, action: Action): PreparedAction {
  const { service } = action
  const touches = { server: true } as const
  const group =
    action === update
      ? {
          steps: [step(folder, 'write'), step(folder, 'replace', touches)],
          undo: [step(folder, 'restore'), step(folder, 'run as before', touches)],
          cleanup: [step(folder, 'tidy')],
        }
      : { steps: [step(folder, 'start writer', touches)], undo: [] }
  const record = { service, mark: `com.example.${service}`, runId: 'run-1', appliedAt: '', definitionDigest: '', wanted: {} }
  const replaces = action === update ? { replaces: true as const } : {}
  return { action, record, ...replaces, group: { action: action.id, service, precheck: [], postcheck: [], ...group } }
}

type Proof = 'works' | 'fails' | 'interrupted' | 'cut'

async function play(proof: Proof, level: VerifyLevel = 'smoke') {
  await using transport = await shTransport(['/bin/sh'], 'nas')
  const { folder } = transport
  const interrupt = new AbortController()
  const tell = async (word: string) => {
    await transport.exec({ label: '', text: ['echo "$2" >>"$1/events"'], args: [folder, word], elevate: false, timeoutMs: 5000 })
  }
  const verify = async (service: string): Promise<SmokeResult> => {
    await tell(`prove ${service}`)
    if (service !== 'coder' || proof === 'works')
      return { host: 'nas', service, ok: true, checks: [{ name: 'health', ok: true, detail: 'answers', ms: 1 }] }
    if (proof === 'cut') {
      transport.cut()
      throw new ConvergeError('CONNECT.LOST', { summary: 'gone', why: 'the line was cut', next: [] })
    }
    if (proof === 'interrupted') interrupt.abort()
    const failed = proof === 'fails' ? {} : { skipped: 'the run was interrupted' }
    return { host: 'nas', service, ok: false, checks: [{ name: 'health', ok: false, detail: 'it is dead', ms: 1, ...failed }] }
  }
  const task = {
    host: 'nas',
    transport,
    root: folder,
    actions: [update, start],
    prepare: async (remaining: readonly Action[]) => remaining.map((action) => prepared(folder, action)),
    verify,
  }
  const who = { runId: 'run-1', version: '0.0.0', owner: 'op', controller: 'laptop', pid: 1 }
  const interrupts = { signal: interrupt.signal, force: new AbortController().signal }
  const run = { ...who, clock: jumpingClock(), emit: () => undefined, journal: memoryJournal(), nonce, ...interrupts }
  const report = await runHost(task, level, run)
  const events = readFileSync(join(folder, 'events'), 'utf8').trim().split('\n')
  const isRecorded = existsSync(join(folder, 'applied/coder.json'))
  return { report, events, isRecorded }
}

describe('a server that replaces another', () => {
  it('is proved before anything else is done on its host, and once', async () => {
    const { report, events, isRecorded } = await play('works')
    expect(events).toEqual(['write', 'replace', 'prove coder', 'tidy', 'start writer', 'prove writer'])
    expect(report.actions).toMatchObject([{ status: 'applied' }, { status: 'applied' }])
    expect(report.smoke.map(({ service, ok }) => [service, ok])).toEqual([
      ['coder', true],
      ['writer', true],
    ])
    expect(isRecorded).toBe(true)
  })

  it('is rolled back if it does not work; independent actions continue', async () => {
    const { report, events, isRecorded } = await play('fails')
    expect(events).toEqual(['write', 'replace', 'prove coder', 'restore', 'run as before', 'start writer', 'prove writer'])
    expect(report.actions).toMatchObject([
      {
        status: 'failed',
        undone: 'restored',
        problem: { code: 'APPLY.NOT_PROVED', why: expect.stringContaining('health: it is dead') },
      },
      { status: 'applied' },
    ])
    expect(report.smoke.map(({ ok }) => ok)).toEqual([false, true])
    expect(isRecorded).toBe(false)
  })

  it('stays if no proof is requested', async () => {
    const { report, events, isRecorded } = await play('fails', 'none')
    expect(events).toEqual(['write', 'replace', 'tidy', 'start writer'])
    expect(report.actions.map(({ status }) => status)).toEqual(['applied', 'applied'])
    expect(isRecorded).toBe(true)
  })

  it('stays after an interrupt, which says nothing against it', async () => {
    const { report, events, isRecorded } = await play('interrupted')
    // The files for the rollback stay: whether they are needed is still unknown.
    expect(events).toEqual(['write', 'replace', 'prove coder'])
    expect(report.actions).toMatchObject([
      { status: 'applied', left: expect.stringContaining('not tested') },
      { status: 'not-run' },
    ])
    expect(isRecorded).toBe(false)
  })

  it('cannot be put back over a connection that is gone, and that is said', async () => {
    const { report, events } = await play('cut')
    expect(events).toEqual(['write', 'replace', 'prove coder'])
    expect(report.actions[0]).toMatchObject({ status: 'failed', undone: 'failed', problem: { code: 'APPLY.NOT_PROVED' } })
  })
})
