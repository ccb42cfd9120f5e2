import { managers } from '../../src/managers/index.ts'
import { askedKeyFile } from '../../src/managers/key-file.ts'
import type { Action } from '../../src/model/action.ts'
import type { Step } from '../../src/model/step.ts'
import type { PlanInput } from '../../src/plan/plan-fleet.ts'
import { compileInputOf, openCase } from '../../src/simulate/service-case.ts'
import { factsOf } from './fleet-input.ts'

/** What an action does beside what its kind says, by the very steps that would be sent. */
export interface Effects {
  readonly dropsKeyFile: boolean
  /** launchd forgets the job. */
  readonly unloads: boolean
  /** A container is made anew although its definition is the one it was made from. */
  readonly replaces: boolean
  /** The engine must not start the container by itself. */
  readonly rests: boolean
}

/** @param input as it was when the plan was made, which is what the steps are compiled from */
export function effectsOf(action: Action, input: PlanInput): Effects {
  const all = stepsOf(action, input)
  const labels = all.map(({ label }) => label)
  const keyFile = askedKeyFile(serviceOf(action, input)).replace('@root', '')
  return {
    dropsKeyFile: all.some((step) => step.do === 'delete' && step.path.endsWith(keyFile)),
    unloads: labels.some((label) => label.startsWith('unload ')),
    replaces: labels.some((label) => /^(replace|stop and remove) container /.test(label)),
    rests: labels.some((label) => label.startsWith('set the restart policy of container ')),
  }
}

function stepsOf(action: Action, input: PlanInput): readonly Step[] {
  const { fleet, keys } = input
  const host = fleet.hosts.find((one) => one.name === action.host)
  const service = serviceOf(action, input)
  const facts = factsOf(input, action.host)
  if (host === undefined) throw new Error(`there is no host for ${action.id}`)
  const compiled = compileInputOf(openCase(fleet, host, service, { facts, keys }), action)
  if (compiled === undefined) throw new Error(`${action.id} cannot be compiled`)
  const group = managers[service.manager].compile(action, compiled, facts)
  return [...(group?.steps ?? []), ...(group?.cleanup ?? [])]
}

function serviceOf(action: Action, { fleet }: PlanInput) {
  const services = fleet.hosts.flatMap((one) => one.services)
  const found = services.find((one) => one.host === action.host && one.name === action.service)
  if (found === undefined) throw new Error(`there is no service for ${action.id}`)
  return found
}
