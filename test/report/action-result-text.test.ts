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
const told = (more: Partial<ActionResult>) =>
  renderResult({ ...failed, ...more }, { paint: noPaint, explain: problemExplainer(noPaint, true) })

test('a failed action says once what happened, and once what became of its rollback', () => {
  const left = 'done: write it; it stopped at "start it"; the rollback stopped at "remove it": no room'
  expect(told({ left })).toBe(`✗ start coder  failed after 1.2s
    APPLY.STEP_FAILED  "start it" ended with exit status 1.
    NOT rolled back: the rollback stopped at "remove it": no room
    already done on the host:
      write it
    stopped at: start it`)
  expect(told({ undone: 'restored', left: 'as it was before this action' })).toBe(`✗ start coder  failed after 1.2s
    APPLY.STEP_FAILED  "start it" ended with exit status 1.
    rolled back: the previous state is restored`)
})

test('what it leaves is shown as it is where it is no list of steps', () => {
  expect(told({ undone: 'not-possible', left: 'nothing is certain; it stopped at "start it"' })).toContain(
    'not rolled back: no safe rollback exists\n    left: nothing is certain; it stopped at "start it"',
  )
})

test('a problem that does not name its place keeps its summary', () => {
  expect(told({ problem: { ...problem, why: 'No reason.' }, undone: 'not-needed' })).toBe(`✗ start coder  failed after 1.2s
    APPLY.STEP_FAILED  A step failed on the host.
    No reason.
    nothing was changed`)
})
