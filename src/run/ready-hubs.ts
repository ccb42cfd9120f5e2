import type { HubAccess } from '../hub/hub-access.ts'
import type { Fleet, Service } from '../model/fleet.ts'
import { allWithDetails, detailQuestions } from '../simulate/fetch/details.ts'
import { type JudgedModel, judgeHost } from '../simulate/fetch/judge-host.ts'
import { type HubAnswers, questionId } from '../simulate/fetch/sources.ts'
import { createDetailAsker, createHubAsker } from './ask-hubs.ts'
import type { Observation, PlanningRun } from './planning-run.ts'

/** What of a run hubs are asked with. */
export interface HubRun extends Pick<PlanningRun, 'resolve'> {
  readonly context: HubAccess
  readonly open: { readonly fleet: Pick<Fleet, 'hosts'> }
}

/** A plan waits no longer for hubs: what they do not say until then is unknown. */
const mostMs = 10_000

/**
 * Asks the hubs while the hosts are looked at, then for details that depend on what the hosts have. Throws only for an interrupt, or what `seeing`
 * throws. Empty: there is nothing to ask them, or they may not be asked.
 */
export type AskHubs = (seeing: Promise<Observation>) => Promise<{ readonly hubs?: HubAnswers }>

/**
 * What hubs have to be asked about the models of these services, each repository and revision once. Tokens are come by before that, because what
 * gives them may ask a person, and later the terminal shows progress.
 */
export async function readyHubs(
  { context, resolve, open }: HubRun,
  services: readonly Service[],
  withinMs = mostMs,
): Promise<AskHubs> {
  const sources = services.flatMap(({ state, model }) => (state === 'absent' ? [] : (model.source ?? [])))
  if (resolve === undefined || sources.length === 0) return () => Promise.resolve({})
  // One that cannot be had is told of the model that it is for.
  await Promise.allSettled(sources.flatMap(({ token }) => (token === undefined ? [] : resolve(token))))
  return async (seeing) => {
    const ask = createHubAsker(context, resolve, { withinMs })
    const answers = await Promise.all(sources.map(async (source) => [questionId(source), await ask(source)] as const))
    const hubs: HubAnswers = new Map(answers)
    const questions = detailQuestions(
      judgedModels(open.fleet, await seeing, hubs, new Set(services.map((one) => `${one.host}/${one.name}`))),
    )
    const askMore = createDetailAsker(context, resolve)
    const details = await Promise.all(
      questions.map(async (question) => {
        const answer = await askMore(question)
        return answer === undefined ? [] : [{ question, answer }]
      }),
    )
    return { hubs: allWithDetails(hubs, details.flat()) }
  }
}

function judgedModels(
  { hosts }: Pick<Fleet, 'hosts'>,
  seen: Observation,
  hubs: HubAnswers,
  services: ReadonlySet<string>,
): readonly JudgedModel[] {
  return hosts.flatMap((host) => {
    const facts = seen.get(host.name)
    if (facts === undefined || !('salt' in facts)) return []
    try {
      return judgeHost(host, { facts, hubs, selects: ({ name }) => services.has(`${host.name}/${name}`) })
    } catch {
      // The plan reports this bug for the host.
      return []
    }
  })
}
