import { expect, test } from 'vitest'
import type { ActionResult } from '../../src/model/report.ts'
import { renderResult } from '../../src/report/action-result-text.ts'
import { problemExplainer } from '../../src/report/explain-problems.ts'
import { noPaint } from '../../src/report/paint.ts'

const problem = {
  code: 'APPLY.STEP_FAILED',
  summary: 'A step failed on the host.',
  why: 'On nas, for service coder: "start it" ended with exit status 1.',
  next: [],
}
const failed: ActionResult = {
  action: 'nas/coder/start',
  status: 'failed',
  ms: 1200,
  done: ['write it'],
  problem,
  undone: 'failed',
}
const rendered = (more: Partial<ActionResult>) =>
  renderResult({ ...failed, ...more }, { paint: noPaint, explain: problemExplainer(noPaint, true) })

test('a failed action says once what happened, and once what became of its rollback', () => {
  const stopped = { stopped_at: 'start it', rollback_stopped_at: '"remove it": no room' }
  expect(rendered(stopped)).toBe(`✗ start coder  failed after 1.2s
    APPLY.STEP_FAILED  "start it" ended with exit status 1.
    NOT rolled back: the rollback stopped at "remove it": no room
    already done on the host:
      write it
    stopped at: start it`)
  expect(rendered({ undone: 'restored' })).toBe(`✗ start coder  failed after 1.2s
    APPLY.STEP_FAILED  "start it" ended with exit status 1.
    rolled back: the previous state is restored`)
})

test('where it stopped and what remains are said beside each other', () => {
  const left = 'the host restores the previous server 180 s after the last heartbeat'
  expect(rendered({ undone: 'left-to-host', done: [], stopped_at: 'start it', left })).toContain(
    `not rolled back by this run: the host rolls back on its own\n    stopped at: start it\n    left: ${left}`,
  )
})

test('a problem that does not name its place keeps its summary', () => {
  expect(rendered({ problem: { ...problem, why: 'No reason.' }, undone: 'not-needed' })).toBe(`✗ start coder  failed after 1.2s
    APPLY.STEP_FAILED  A step failed on the host.
    No reason.
    nothing was changed`)
})

test.each([
  ['APPLY.TAKEN_BACK', 'restored', 'done in 1.2s; then rolled back'],
  ['APPLY.ROLLBACK_FAILED', 'failed', 'done in 1.2s; could not be rolled back'],
  // As in reports of earlier versions.
  ['APPLY.TAKEN_BACK', 'failed', 'done in 1.2s; could not be rolled back'],
] as const)('an action that was to be rolled back for a later one: %s, %s', (code, undone, words) => {
  expect(rendered({ problem: { ...problem, code }, undone })).toMatch(`! start coder  ${words}\n`)
})
