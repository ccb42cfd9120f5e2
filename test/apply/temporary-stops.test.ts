import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Journal } from '../../src/apply/journal.ts'
import type { PreparedAction } from '../../src/apply/prepared-action.ts'
import { runActions } from '../../src/apply/run-actions.ts'
import { createStepJournal } from '../../src/apply/step-journal.ts'
import type { Action } from '../../src/model/action.ts'
import type { RunEvent } from '../../src/model/event.ts'
import type { ActionResult } from '../../src/model/report.ts'
import type { Check, RunStep } from '../../src/model/step.ts'
import { memoryJournal, runOn } from '../support/memory-journal.ts'
import { type ShTransport, shTransport } from '../support/sh-transport.ts'
import { actionOf } from './actions.ts'
import { jumpingClock, nonce } from './step-cases.ts'

interface StopCase {
  readonly name: string
  readonly fails?: readonly string[]
  readonly stale?: readonly string[]
  readonly unneeded?: readonly string[]
  readonly withoutRollback?: readonly string[]
  /** Another process has the port of the stopped server. */
  readonly taken?: true
  readonly interruptAfter?: string
  /** The journal takes no more once this is begun. */
  readonly unwritten?: string
  readonly ends: Readonly<Record<string, string>>
  readonly host: readonly string[]
  readonly says?: string
}

const cases: readonly StopCase[] = parse(readFileSync(new URL('../fixtures/apply/temporary-stops.yaml', import.meta.url), 'utf8'))

test.each(cases)('a server that is down for a while: $name', async (stopped) => {
  await using host = await shTransport()
  const { results } = await play(stopped, host)
  expect(Object.fromEntries(results.map((result) => [nameOf(result), endingOf(result)]))).toEqual(stopped.ends)
  const log = join(host.folder, 'host')
  expect(existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []).toEqual(stopped.host)
  expect(results.map(({ problem }) => problem?.why ?? '').join('\n')).toContain(stopped.says ?? '')
})

test('if the host cannot be observed again, it is started as far as the earlier facts allow', async () => {
  await using host = await shTransport()
  const stopped: StopCase = { name: '', fails: ['writer/update'], ends: {}, host: [] }
  const { results, problem } = await play(stopped, host, () => Promise.reject(new DOMException('aborted', 'AbortError')))
  expect(results.map((result) => `${nameOf(result)} ${endingOf(result)}`)).toEqual([
    'coder/stop failed restored',
    'coder/update failed restored',
    'writer/update failed restored',
    'coder/start not-run',
  ])
  expect(problem?.code).toBe('APPLY.HOST_NOT_READ')
})

async function play(stopped: StopCase, host: ShTransport, lookAgain?: () => Promise<readonly PreparedAction[]>) {
  const interrupt = new AbortController()
  const actions = Object.keys(stopped.ends).length === 5 ? [...swap.slice(0, 3), other, ...swap.slice(3)] : swap
  let looks = 0
  const prepare = async (remaining: readonly Action[]): Promise<readonly PreparedAction[]> => {
    looks += 1
    if (looks > 1 && lookAgain !== undefined) return lookAgain()
    return remaining.flatMap((action) => prepared(action, stopped, looks === 1))
  }
  const context = {
    host: 'nas',
    transport: host,
    clock: jumpingClock(),
    nonce,
    signal: interrupt.signal,
    emit: (event: RunEvent) => {
      if (event.type === 'action-finished' && nameOf(event.result) === stopped.interruptAfter) interrupt.abort()
    },
    journal: createStepJournal(journalUntil(stopped.unwritten), runOn('nas', host.folder)),
  }
  return runActions({ actions, prepare }, context)
}

const swap: readonly Action[] = [
  {
    ...actionOf('nas', 'coder', 'stop'),
    temporary: { makes_room_for: ['nas/writer/update'], ports: [9990] },
  },
  { ...actionOf('nas', 'coder', 'update'), starts: false },
  { ...actionOf('nas', 'writer', 'update'), interrupts: true },
  actionOf('nas', 'coder', 'start'),
]
const other = actionOf('nas', 'other', 'start')

function prepared(action: Action, stopped: StopCase, first: boolean): readonly PreparedAction[] {
  const name = action.id.slice('nas/'.length)
  if (!first && stopped.stale?.includes(name) === true) return [{ action, problem: impossible }]
  if (!first && stopped.unneeded?.includes(name) === true) return []
  const fails = stopped.fails?.includes(name) === true
  const act = say(fails ? 'fails' : `${action.kind} ${action.service}`, fails ? 'exit 1' : 'echo "$1" >>host')
  const undo = stopped.withoutRollback?.includes(name) === true ? [] : [say(`undo ${name}`)]
  const room = action.temporary === undefined ? {} : { room: [portIsFree(stopped.taken === true)] }
  const group = { action: action.id, service: action.service, precheck: [], steps: [act], postcheck: [], undo, ...room }
  return [{ action, group: { ...group, cleanup: tidies(name) ? [say(`tidy ${name}`)] : [] }, record: null }]
}

/** Steps that are cleaned up at once are not listed. */
function tidies(name: string): boolean {
  return name !== 'coder/start' && name !== 'other/start'
}

const impossible = { code: 'APPLY.STALE', summary: 'It cannot be done any more.', why: '', next: [] }

function say(words: string, script = 'echo "$1" >>host'): RunStep {
  return { do: 'run', label: words, guards: [], script, args: [words], timeoutMs: 5000, server: true }
}

function portIsFree(taken: boolean): Check {
  return { label: 'its port is free', script: taken ? 'exit 1' : ':', args: [] }
}

function journalUntil(action: string | undefined): Journal {
  const journal = memoryJournal()
  return {
    ...journal,
    write: async (event) => {
      const begun = 'action' in event && event.action === `nas/${action ?? ''}`
      if (begun) throw new Error('no space left on device')
      return journal.write(event)
    },
  }
}

function nameOf({ action }: ActionResult): string {
  return action.slice('nas/'.length)
}

function endingOf({ status, undone }: ActionResult): string {
  return undone === undefined ? status : `${status} ${undone}`
}
