import type { HubAccess } from '../hub/hub-access.ts'
import { isManagedService } from '../inventory/is-managed-service.ts'
import type { Fleet, Service } from '../model/fleet.ts'
import { allWithDetails, detailQuestions } from '../simulate/fetch/details.ts'
import { type JudgedModel, judgeHost } from '../simulate/fetch/judge-host.ts'
import { type HubAnswers, questionId } from '../simulate/fetch/sources.ts'
import { createDetailAsker, createHubAsker } from './ask-hubs.ts'
import type { Observation, PlanningRun } from './planning-run.ts'

/** The part of a run that is needed to ask hubs. */
export interface HubRun extends Pick<PlanningRun, 'resolve'> {
  readonly context: HubAccess
  readonly open: { readonly fleet: Pick<Fleet, 'hosts'> }
}

/** A plan waits no longer for hubs; missing answers are unknown. */
const maxMs = 10_000

/**
 * Asks the hubs while facts are gathered, then asks for details that depend on the hosts' files. Throws only for an interrupt, or what
 * `seeing` throws. Empty: there is nothing to ask, or hubs may not be asked.
 */
export type AskHubs = (seeing: Promise<Observation>) => Promise<{ readonly hubs?: HubAnswers }>

/**
 * Prepares the questions to hubs about the models of these services, one for each repository and revision. Resolves tokens first, because
 * that may prompt a person, and later the terminal shows progress.
 */
export async function readyHubs(
  { context, resolve, open }: HubRun,
  services: readonly Service[],
  withinMs = maxMs,
): Promise<AskHubs> {
  const sources = services.flatMap((service) => (isManagedService(service) ? (service.model.source ?? []) : []))
  if (resolve === undefined || sources.length === 0) return () => Promise.resolve({})
  // A token that cannot be resolved is reported with its model.
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
