import { ConvergeError } from '../../src/errors/converge-error.ts'
import type { Plan } from '../../src/model/plan.ts'
import { type PlanInput, planFleet } from '../../src/plan/plan-fleet.ts'
import { checkApprovals } from '../../src/policy/approve.ts'
import { approvalsFromFlags } from '../../src/run/plays.ts'

/**
 * What a plan prints as the next step of a refusal, given to the command line as it stands there: it is taken, and nothing is done the less
 * for it. Words for each that is not so.
 *
 * @param most so many of them are tried
 */
export function closedWaysOut(input: PlanInput, plan: Plan, most: number): readonly string[] {
  const flags = plan.hosts.flatMap(({ refusals }) => refusals.flatMap(({ next }) => next.map(String).flatMap(flagsIn)))
  return [...new Set(flags)].slice(0, most).flatMap((flag) => {
    const approvals = [...input.approvals, ...approvalsFromFlags([flag], 'a reason')]
    const more = planFleet({ ...input, approvals })
    const done = new Set(idsOf(more))
    const open = new Set(more.hosts.flatMap(({ held_back = [] }) => held_back.map(({ host, service }) => `${host}/${service}`)))
    // A server in the desired state may have reached it in another way, at once instead of after a stop.
    const lost = idsOf(plan).filter((id) => !done.has(id) && open.has(id.split('/').slice(0, 2).join('/')))
    return [...refusedFlag(flag, more, { given: approvals, now: input.now }), ...lost.map((id) => `${id} is lost by ${flag}`)]
  })
}

function flagsIn(words: string): readonly string[] {
  const flag = /--allow (\S+)/.exec(words)?.[1]
  return flag === undefined ? [] : [flag]
}

function refusedFlag(flag: string, plan: Plan, approvals: Parameters<typeof checkApprovals>[1]): readonly string[] {
  try {
    checkApprovals(plan, { ...approvals, given: approvals.given.slice(-1) })
    return []
  } catch (error) {
    if (!(error instanceof ConvergeError)) throw error
    return [`${flag} is printed as the next step, and then: ${error.code}`]
  }
}

function idsOf({ hosts }: Plan): readonly string[] {
  return hosts.flatMap(({ actions }) => actions.filter(({ kind }) => kind !== 'noop').map(({ id }) => id))
}
