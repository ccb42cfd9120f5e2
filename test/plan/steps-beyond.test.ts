import { expect, test } from 'vitest'
import type { PlannedRun, PlannedSteps } from '../../src/model/planned-steps.ts'
import { stepsBeyond } from '../../src/plan/steps-beyond.ts'

const check = { label: 'it is still there', script: 'true', args: [] }

function run(script: string, more: Partial<PlannedRun> = {}): PlannedRun {
  return { do: 'run', label: script, guards: [], script, args: [], timeout_s: 60, ...more }
}

function file(content: string, mode = '0644') {
  return { do: 'put', label: 'write /f', guards: [], path: '/f', mode, folder_mode: '0755', content } as const
}

function steps(...given: PlannedSteps['steps']): PlannedSteps {
  return { checks: [], steps: given, proof: [], undo: [] }
}

const beyond = (label: string) => [`the step "${label}" was not shown`]

const leftOut = (label: string) => [`"${label}" was shown and is now missing`]

test.each([
  ['the same', steps(run('a'), file('x')), steps(run('a'), file('x')), []],
  ['fewer', steps(run('a'), file('x'), run('b')), steps(file('x')), []],
  ['none now', steps(run('a')), undefined, []],
  ['another guard', steps(run('a')), steps(run('a', { guards: [check] })), []],
  ['more', steps(run('a')), steps(run('a'), run('b')), beyond('b')],
  ['any, where none was shown', undefined, steps(run('a')), beyond('a')],
  ['the same twice', steps(run('a')), steps(run('a'), run('a')), beyond('a')],
  ['another order', steps(run('a'), run('b')), steps(run('b'), run('a')), beyond('a')],
  ['another argument', steps(run('a', { args: ['1'] })), steps(run('a', { args: ['2'] })), beyond('a')],
  ['another content', steps(file('x')), steps(file('y')), beyond('write /f')],
  ['another mode', steps(file('x', '0600')), steps(file('x')), beyond('write /f')],
  ['another rollback', { ...steps(), undo: [run('a')] }, { ...steps(), undo: [run('b')] }, beyond('b')],
  ['no rollback now', { ...steps(run('a')), undo: [run('b')] }, steps(run('a')), leftOut('b')],
  ['no rollback, and nothing to roll back', { ...steps(run('a')), undo: [run('b')] }, steps(), []],
  ['no check after it now', { ...steps(run('a')), proof: [check] }, steps(run('a')), leftOut(check.label)],
  ['no check before a later rollback', { ...steps(run('a')), room: [check] }, steps(run('a')), leftOut(check.label)],
  ['more to tidy up', { ...steps(), cleanup: [] }, { ...steps(), cleanup: [run('a')] }, beyond('a')],
] as const)('%s', (_name, shown, now, sentences) => {
  expect(stepsBeyond(shown, now)).toEqual(sentences)
})
