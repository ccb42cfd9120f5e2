import type { HubAccess } from '../hub/get-json.ts'
import type { Service } from '../model/fleet.ts'
import { type HubAnswers, questionId } from '../plan/fetch/sources.ts'
import { createHubAsker } from './ask-hubs.ts'
import type { PlanningRun } from './planning-run.ts'

/** What of a run hubs are asked with. */
export interface HubRun extends Pick<PlanningRun, 'resolve'> {
  readonly context: HubAccess
}

/** A plan waits no longer for hubs: what they do not say until then is unknown. */
const mostMs = 10_000

/** Asks the hubs; never throws but for an interrupt. Empty: there is nothing to ask them, or they may not be asked. */
export type AskHubs = () => Promise<{ readonly hubs?: HubAnswers }>

/**
 * What hubs have to be asked about the models of these services, each repository and revision once. Tokens are come by before that, because what
 * gives them may ask a person, and later the terminal shows progress.
 */
export async function readyHubs({ context, resolve }: HubRun, services: readonly Service[], withinMs = mostMs): Promise<AskHubs> {
  const sources = services.flatMap(({ state, model }) => (state === 'absent' ? [] : (model.source ?? [])))
  if (resolve === undefined || sources.length === 0) return () => Promise.resolve({})
  // One that cannot be had is told of the model that it is for.
  await Promise.allSettled(sources.flatMap(({ token }) => (token === undefined ? [] : resolve(token))))
  return async () => {
    const ask = createHubAsker(context, resolve, { withinMs })
    const answers = await Promise.all(sources.map(async (source) => [questionId(source), await ask(source)] as const))
    return { hubs: new Map(answers) }
  }
}
