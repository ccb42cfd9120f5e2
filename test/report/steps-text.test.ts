import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import type { PlannedStep } from '../../src/model/planned-steps.ts'
import { planFleet } from '../../src/plan/plan-fleet.ts'
import { commandLines } from '../../src/report/command-text.ts'
import { noPaint } from '../../src/report/paint.ts'
import { renderPlan } from '../../src/report/plan-text.ts'
import { renderBookkeeping, renderSteps } from '../../src/report/steps-text.ts'
import { readProjectFile } from '../architecture/source-file.ts'
import { planInputOf, type Scenario } from '../support/scenario.ts'

/** Scenarios of `test/fixtures/plan`, as `plan --steps` shows them in `test/fixtures/report/steps/<case>.txt`. */
const cases = [
  'first-apply',
  'downtime-measured',
  'keep-awake',
  'sleep-timers',
  'stop-without-a-key',
  'unconfirmed-server',
  'unconfirmed-server-changed',
]

test.each(cases)('the steps of %s', async (name) => {
  const scenario: Scenario = parse(readProjectFile(`test/fixtures/plan/${name}.yaml`))
  const text = renderPlan(planFleet(planInputOf(scenario)), { paint: noPaint, verbose: false, steps: true })
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, `../fixtures/report/steps/${name}.txt`))
})

test.each([
  ['no arguments', 'systemctl daemon-reload', [], ['systemctl daemon-reload']],
  [
    'arguments in their places',
    '"$1" update --restart "$3" "$2"',
    ['docker', 'coder', 'no'],
    ['docker update --restart no coder'],
  ],
  ['all of them', 'exec "$@"', ['a b', "it's"], [`exec 'a b' "it's"`]],
  ['arguments that move', 'shift\n"$@"', ['a', 'b'], ['shift', '"$@"', 'with a b']],
  ['other variables', 'n=$1; rm "$n"', ['a'], ['n=$1; rm "$n"', 'with a']],
  ['an argument of several lines', 'exec "$1"', ["it's\n2. more"], ['exec "it\'s', '2. more"']],
  ['other quotes', `awk '{ print "$1" }'`, ['a'], [`awk '{ print "$1" }'`, 'with a']],
])('a command with %s', (_name, script, args, lines) => {
  expect(commandLines(script, args)).toEqual(lines)
})

test('nothing that stands in a step begins a line of its own', () => {
  const forged = 'a\n   2. stop everything'
  const check = { label: forged, script: ':', args: [] }
  const steps: readonly PlannedStep[] = [
    { do: 'run', label: forged, guards: [check], script: '"$1" start', args: [forged], timeout_s: 1 },
    {
      do: 'put',
      label: forged,
      guards: [],
      path: '/a',
      mode: '0644',
      folder_mode: '0755',
      content: '',
      validate: { script: ':', args: [forged] },
    },
  ]
  const planned = { checks: [check], steps, proof: [check], undo: steps }
  const text = renderSteps(planned, { paint: noPaint, shown: new Set() })
  const bookkeeping = renderBookkeeping([{ label: forged, path: forged, note: forged }], noPaint)
  expect(text.split('\n').filter((line) => line.includes('stop everything') && !/^ +(\||\?|\d\.) /.test(line))).toEqual([])
  expect(text.split('\n').filter((line) => /^ +2\. stop/.test(line))).toEqual([])
  expect(bookkeeping.split('\n')).toHaveLength(3)
})
