import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { executeGroup } from '../../src/apply/execute-group.ts'
import type { ActionKind } from '../../src/model/action.ts'
import type { RunEvent } from '../../src/model/event.ts'
import type { Check, Step, StepGroup } from '../../src/model/step.ts'
import { shTransport } from '../support/sh-transport.ts'
import { actionOf } from './actions.ts'
import { jumpingClock, nonce } from './step-cases.ts'

interface GroupCase {
  readonly name: string
  readonly setup?: string
  readonly kind: ActionKind
  readonly precheck: readonly string[]
  readonly steps: readonly string[]
  readonly postcheck: readonly string[]
  readonly undo: readonly string[]
  readonly cleanup?: readonly string[]
  readonly cut?: number
  readonly interrupt?: number
  /** Once this file exists, the second interrupt. */
  readonly force?: string
  readonly result: Readonly<Record<string, unknown>>
  readonly says?: string
  readonly files: readonly string[]
}

const cases: readonly GroupCase[] = parse(readFileSync(new URL('../fixtures/apply/groups.yaml', import.meta.url), 'utf8'))

describe('a group of steps', () => {
  it.each(cases)('$name', async (groupCase) => {
    await using host = await shTransport()
    if (groupCase.setup !== undefined) execFileSync('/bin/sh', ['-c', groupCase.setup], { cwd: host.folder })
    const [interrupt, force] = [new AbortController(), new AbortController()]
    const events: RunEvent[] = []
    let started = 0
    if (groupCase.cut === 0) host.cut()
    if (groupCase.interrupt === 0) interrupt.abort()
    const emit = (event: RunEvent) => {
      events.push(event)
      if (event.type !== 'step-started') return
      started += 1
      if (started === groupCase.cut) host.cut('after-next')
      if (started === groupCase.interrupt) interrupt.abort()
    }
    const context = {
      host: 'nas',
      transport: host,
      clock: jumpingClock(),
      nonce,
      emit,
      signal: interrupt.signal,
      force: force.signal,
    }
    const { force: file } = groupCase
    const looking = setInterval(() => file !== undefined && existsSync(join(host.folder, file)) && force.abort(), 20)
    const action = actionOf('nas', 'coder', groupCase.kind)
    const result = await executeGroup(action, toGroup(groupCase), context).finally(() => clearInterval(looking))
    expect(result).toMatchObject(groupCase.result)
    expect(JSON.stringify(result)).toContain(groupCase.says ?? '')
    expect(result.problem?.why ?? 'nas').toContain('nas')
    expect(readdirSync(host.folder).toSorted()).toEqual(groupCase.files)
    expect(events.at(-1)).toEqual({ type: 'action-finished', host: 'nas', result })
  })
})

/** `answers` before a script: it asks whether the supervisor answers. */
function check(written: string): Check {
  const script = written.replace(/^answers /, '')
  return { label: script, script, args: [], ...(script === written ? {} : { answers: true }) }
}

/** `server` before a script: it touches a server; `prepares`: there is nothing to put back; `never`: its guard does not hold. */
function step(written: string): Step {
  const [, server, prepares, never, script = ''] = /^(server )?(prepares )?(never )?(.*)$/.exec(written) ?? []
  const guards = never === undefined ? [] : [check('false')]
  return {
    do: 'run',
    label: script,
    guards,
    script,
    args: [],
    timeoutMs: 5000,
    ...(server === undefined ? {} : { server: true }),
    ...(prepares === undefined ? {} : { prepares: true, unknown: 'it was not observed' }),
  }
}

function toGroup({ precheck, steps, postcheck, undo, cleanup, kind }: GroupCase): StepGroup {
  return {
    action: `nas/coder/${kind}`,
    service: 'coder',
    precheck: precheck.map(check),
    steps: steps.map(step),
    postcheck: postcheck.map(check),
    undo: undo.map(step),
    ...(cleanup === undefined ? {} : { cleanup: cleanup.map(step) }),
  }
}
