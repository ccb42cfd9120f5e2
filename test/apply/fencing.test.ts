import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { HostTask } from '../../src/apply/host-task.ts'
import { fenceScript, watchScript } from '../../src/apply/lock-scripts.ts'
import type { PreparedAction } from '../../src/apply/prepared-action.ts'
import { runHost } from '../../src/apply/run-host.ts'
import type { Action } from '../../src/model/action.ts'
import type { AppliedRecord } from '../../src/model/applied-record.ts'
import type { Check, Step, StepGroup } from '../../src/model/step.ts'
import { systemClock } from '../../src/time/clock.ts'
import type { Script } from '../../src/transports/script.ts'
import { memoryJournal } from '../support/memory-journal.ts'
import { type ShTransport, shTransport } from '../support/sh-transport.ts'
import { actionOf } from './actions.ts'
import { nonce } from './step-cases.ts'

const token = 'the-token'
const ofTheLock = ['take the lock', 'renew the lock', 'release the lock']

/** What a script does about the lock; whatever is not sent to look has to be held back by it. */
function guardOf(script: Script, lock: string): string {
  if (ofTheLock.includes(script.label)) return 'is the lock'
  if (script.readOnly === true) return 'only looks'
  const fenced = script.text.join('').includes(fenceScript) && script.args.slice(0, 2).join() === `${lock},${token}`
  const watched = script.watch?.script === watchScript && script.watch.args.slice(0, 2).join() === `${lock},${token}`
  return fenced && watched ? 'is fenced and watched' : 'IS NEITHER'
}

const check = (label: string, script = 'true'): Check => ({ label, script, args: [] })
const run = (label: string, script = 'true'): Step => ({ do: 'run', label, guards: [], script, args: [], timeoutMs: 5000 })

function groupOf(action: Action, folder: string): StepGroup {
  const path = join(folder, `${action.service}.txt`)
  const put: Step = {
    do: 'put',
    label: `write ${action.id}`,
    guards: [],
    path,
    content: ['text\n'],
    mode: 0o644,
    folderMode: 0o755,
  }
  const wait: Step = { do: 'wait', label: `wait for ${action.id}`, guards: [], until: check('now'), timeoutMs: 5000 }
  const base = { action: action.id, service: action.service, precheck: [check('before')], postcheck: [check('after')], undo: [] }
  if (action.kind === 'update')
    return {
      ...base,
      steps: [put, run(`act for ${action.id}`), wait],
      cleanup: [{ do: 'delete', label: `tidy up ${action.id}`, guards: [], path }],
    }
  if (action.kind === 'remove') return { ...base, steps: [{ do: 'delete', label: `delete ${action.id}`, guards: [], path }] }
  const undo: readonly Step[] = [
    put,
    run(`put back ${action.id}`),
    { do: 'delete', label: `delete again ${action.id}`, guards: [], path },
  ]
  return { ...base, steps: [run(`fail ${action.id}`, 'exit 1')], undo }
}

async function everythingSent(host: ShTransport): Promise<readonly Script[]> {
  const sent: Script[] = []
  const transport = {
    ...host,
    exec: (...given: Parameters<typeof host.exec>) => {
      sent.push(given[0])
      return host.exec(...given)
    },
  }
  const actions = [actionOf('nas', 'a', 'update'), actionOf('nas', 'b', 'start'), actionOf('nas', 'c', 'remove')]
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is only written down
  const record = { service: 'a' } as AppliedRecord
  const prepared = (action: Action): PreparedAction => ({
    action,
    group: groupOf(action, host.folder),
    record: action.kind === 'remove' ? null : record,
  })
  const task: HostTask = {
    host: 'nas',
    transport,
    root: host.folder,
    actions,
    unfinished: { prove: [], left: ['a'] },
    savedPlan: '0123456789abcdef',
    prepare: async (remaining) => remaining.map(prepared),
    verify: async (service) => ({ host: 'nas', service, ok: true, checks: [] }),
  }
  const { signal } = new AbortController()
  const who = {
    runId: 'run-1',
    version: '1',
    owner: 'op',
    controller: 'laptop',
    pid: 1,
    clock: systemClock,
    emit: () => undefined,
  }
  let words = 0
  const context = { ...who, journal: memoryJournal(), nonce: () => (words++ === 0 ? token : nonce()), signal, force: signal }
  const report = await runHost(task, 'smoke', context)
  expect(report.actions.map(({ status, undone }) => undone ?? status)).toEqual(['applied', 'restored', 'applied'])
  return sent
}

describe('every command that changes something', () => {
  it('is sent with the fence and the watch of the lock', async () => {
    await using host = await shTransport(['/bin/sh'], 'nas')
    const lock = join(host.folder, 'lock')
    const guards = (await everythingSent(host)).map((script) => `${script.label}: ${guardOf(script, lock)}`)
    expect(guards).toMatchInlineSnapshot(`
      [
        "take the lock: is the lock",
        "mark the saved plan as applied: is fenced and watched",
        "check the preconditions of the plan: only looks",
        "write nas/a/update: is fenced and watched",
        "act for nas/a/update: is fenced and watched",
        "wait for nas/a/update: only looks",
        "check that it took effect: only looks",
        "tidy up nas/a/update: is fenced and watched",
        "check the preconditions of the plan: only looks",
        "fail nas/b/start: is fenced and watched",
        "write nas/b/start: is fenced and watched",
        "put back nas/b/start: is fenced and watched",
        "delete again nas/b/start: is fenced and watched",
        "check the preconditions of the plan: only looks",
        "delete nas/c/remove: is fenced and watched",
        "check that it took effect: only looks",
        "record what was applied to a: is fenced and watched",
        "forget what was applied to c: is fenced and watched",
        "release the lock: is the lock",
      ]
    `)
  })
})
