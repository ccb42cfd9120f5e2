import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { HostTask } from '../../src/apply/host-task.ts'
import { runHost } from '../../src/apply/run-host.ts'
import { known } from '../../src/model/observed.ts'
import type { RollbackTimer } from '../../src/model/rollback-timer.ts'
import type { Step } from '../../src/model/step.ts'
import { systemClock } from '../../src/time/clock.ts'
import { memoryJournal } from '../support/memory-journal.ts'
import { rollbackTimerScene } from '../support/rollback-timer-scene.ts'
import { actionOf } from './actions.ts'
import { nonce } from './step-cases.ts'

/** The lock comes before the journal on the host, and the beat is no step. */
const ofTheLock = ['take the lock', 'renew the lock', 'release the lock']

describe('what a run sends that changes something', () => {
  it.each([
    ['is called off', true],
    ['gets the order to act', false],
  ])(
    'is written down here and there, also where what an earlier run left %s',
    async (_, works) => {
      await using scene = await rollbackTimerScene(['/bin/sh'])
      await scene.arm(expect)
      await scene.replace(expect)
      const acted: string[] = []
      const transport: HostTask['transport'] = {
        ...scene.transport,
        exec: (script, options) => {
          if (script.readOnly !== true && !ofTheLock.includes(script.label)) acted.push(script.label)
          return scene.transport.exec(script, options)
        },
        close: async () => undefined,
      }
      const left: RollbackTimer = {
        id: 't1',
        state: 'armed',
        service: 'coder',
        alive: true,
        at: 0,
        owner: 'ann',
        controller: 'desk',
        runId: 'run-1',
      }
      const start: Step = { do: 'run', label: 'start writer', guards: [], script: ':', args: [], timeoutMs: 5000 }
      const journal = memoryJournal()
      const task: HostTask = {
        host: 'nas',
        transport,
        root: scene.place.root,
        actions: [actionOf('nas', 'writer', 'start')],
        unfinished: { prove: [], left: [] },
        savedPlan: '0123456789abcdef',
        timers: {
          reconnect: async () => transport,
          look: async () => known([left]),
          canProve: () => works,
          starts: () => false,
          reported: ['t0'],
        },
        prepare: async (rest) =>
          rest.map((action) => {
            const group = { action: action.id, service: 'writer', precheck: [], postcheck: [], undo: [], steps: [start] }
            return { action, group, record: null }
          }),
        verify: async (service) => ({ host: 'nas', service, ok: true, checks: [] }),
      }
      const [{ signal }, { signal: force }] = [new AbortController(), new AbortController()]
      const who = { runId: 'run-2', version: '0', owner: 'op', controller: 'laptop', pid: 1, emit: () => undefined }
      await runHost(task, 'smoke', { ...who, nonce, clock: systemClock, journal, signal, force })
      const here = journal.events.flatMap((one) => (one.event === 'step-intended' ? [one.step] : []))
      const log = readFileSync(scene.at('audit.log'), 'utf8').trimEnd().split('\n')
      const there = log.map((line) => JSON.parse(line)).flatMap((one) => (one.event === 'step-intended' ? [one.step] : []))
      expect(acted).toContain(works ? 'disarm the rollback timer' : 'order the host to roll back coder')
      expect([here, there]).toEqual([acted, acted])
    },
    60_000,
  )
})
