import { describe, expect, test } from 'vitest'
import type { ReadyAction } from '../../src/apply/prepared-action.ts'
import { createStopwatch } from '../../src/apply/stopwatch.ts'
import type { AppliedRecord, WarmUp } from '../../src/model/applied-record.ts'
import type { SmokeCheck } from '../../src/model/report.ts'
import { actionOf } from './actions.ts'

const model = 'a'.repeat(64)
const start: ReadyAction = {
  action: { ...actionOf('nas', 'coder', 'start'), relies_on: { model } },
  group: { action: 'nas/coder/start', service: 'coder', precheck: [], steps: [], postcheck: [], undo: [] },
}
const stop: ReadyAction = { ...start, action: { ...actionOf('nas', 'coder', 'stop'), relies_on: { model } } }
const record: AppliedRecord = {
  service: 'coder',
  mark: 'com.example.coder',
  runId: 'r1',
  appliedAt: '2026-11-20T08:00:00.000Z',
  definitionDigest: 'd'.repeat(64),
  wanted: {},
}
const begun = Date.parse('2026-11-20T08:00:00.000Z')

function check(name: SmokeCheck['name'], ms: number, ok = true): SmokeCheck {
  return { name, ok, detail: '', ms }
}

/** Touched at the start, and proved some seconds later. */
function measured(
  checks: readonly SmokeCheck[],
  { after = 4000, before, ready = start }: { after?: number; before?: WarmUp; ready?: ReadyAction } = {},
) {
  const watch = createStopwatch()
  const step = { type: 'step-started', host: 'nas', action: ready.action.id } as const
  watch.hear({ ...step, label: 'have the image' }, begun - 60_000)
  watch.hear({ ...step, label: 'start it', server: true }, begun)
  watch.hear({ ...step, label: 'start it once more', server: true }, begun + 3000)
  watch.proved({ host: 'nas', service: 'coder', ok: true, checks }, begun + after)
  return watch.noted(ready, before === undefined ? record : { ...record, warmup: before }).warmup
}

const loading = [
  check('co-run', 900),
  check('health', 7300),
  check('models', 40),
  check('completion', 800),
  check('port-owner', 900),
]
const quick = [check('co-run', 900), check('health', 40), check('completion', 300)]

describe('how long a server took', () => {
  test('counts from the first step that touches it, through the checks until it is healthy and completes a chat', () => {
    expect(measured(loading)).toEqual({
      healthyS: 12.2,
      completionS: 13,
      chatS: 0.8,
      measuredAt: '2026-11-20T08:00:04.000Z',
      model,
      definitionDigest: record.definitionDigest,
    })
  })

  test('is a limit where it was healthy at the first look', () => {
    expect(measured(quick)).toMatchObject({ healthyS: 4.9, completionS: 5.2, chatS: 0.3, atMost: true })
  })

  test('is known without a chat where none was asked for', () => {
    const warmup = measured([check('co-run', 900), check('health', 7300)])
    expect(warmup).toMatchObject({ healthyS: 12.2 })
    expect(warmup).not.toHaveProperty('completionS')
  })

  test.each([
    ['of what was not proved healthy', [check('co-run', 900), check('health', 7300, false)], start],
    ['of a server that is ended', loading, stop],
  ])('is not measured %s', (_, checks, ready) => {
    expect(measured(checks, { ready })).toBeUndefined()
  })

  const earlier = {
    healthyS: 3,
    completionS: 3.5,
    measuredAt: '2026-11-01T08:00:00.000Z',
    model,
    definitionDigest: record.definitionDigest,
  }

  test('keeps the earlier measurement if this look was too late', () => {
    expect(measured(quick, { before: earlier, after: 60_000 })).toEqual(earlier)
    expect(measured(loading, { before: earlier })).toMatchObject({ healthyS: 12.2 })
  })

  test.each([
    ['another model', { ...earlier, model: 'b'.repeat(64) }],
    ['another definition', { ...earlier, definitionDigest: 'b'.repeat(64) }],
    ['no chat', { ...earlier, completionS: undefined }],
  ])('is measured again if the earlier one was of %s', (_, { completionS, ...before }) => {
    const known = completionS === undefined ? before : { ...before, completionS }
    expect(measured(quick, { before: known, after: 60_000 })).toMatchObject({ healthyS: 60.9, atMost: true })
  })

  test('is what is known from before where this run did not start it', () => {
    const watch = createStopwatch()
    watch.proved({ host: 'nas', service: 'coder', ok: true, checks: loading }, begun)
    expect(watch.noted(start, { ...record, warmup: earlier }).warmup).toEqual(earlier)
  })
})
