import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import type { Approval } from '../../src/model/playbook.ts'
import { planFleet } from '../../src/plan/plan-fleet.ts'
import { approve } from '../../src/policy/approve.ts'
import { caseFiles } from '../support/case-files.ts'
import { planInputOf, type Scenario, scenarioNow } from '../support/scenario.ts'

/** `test/fixtures/approve/*.yaml`: a host that refuses some things, and what comes of leave for them. */
interface ApproveFile {
  readonly host: Scenario
  readonly cases: readonly {
    readonly about: string
    readonly approvals: readonly (Omit<Approval, 'origin'> & { readonly playbook?: string })[]
    /** The error's code; absent: it is approved. */
    readonly error?: string
    readonly says?: readonly string[]
    /** Ids that are done then. */
    readonly does?: readonly string[]
    /** Ids that are not. */
    readonly holds?: readonly string[]
  }[]
}

const cases = caseFiles('approve', '*.yaml').flatMap(({ file, text }) => {
  const { host, cases: given }: ApproveFile = parse(text)
  return given.map((one) => ({ file, host, ...one }))
})

test.each(cases)('$file: $about', ({ host, approvals, error, says = [], does = [], holds = [] }) => {
  const given = approvals.map(withOrigin)
  const plan = planFleet({ ...planInputOf(host), approvals: given, now: scenarioNow })
  const outcome = attempt(() => approve(plan, { given, now: scenarioNow }))
  expect(outcome.error?.code).toBe(error)
  for (const part of says) expect(outcome.error?.why).toContain(part)
  const done = plan.hosts.flatMap((one) => one.actions.map((action) => action.id))
  expect(done).toEqual(expect.arrayContaining([...does]))
  expect(done.filter((id) => holds.includes(id))).toEqual([])
})

function withOrigin({ playbook, ...approval }: ApproveFile['cases'][number]['approvals'][number]): Approval {
  if (playbook === undefined) return { ...approval, origin: { flag: `--allow ${approval.code}@${approval.service}` } }
  return { ...approval, origin: { file: playbook, line: 7, column: 5 } }
}

function attempt(act: () => unknown): { readonly error?: ConvergeError } {
  try {
    act()
    return {}
  } catch (error) {
    if (error instanceof ConvergeError) return { error }
    throw error
  }
}
