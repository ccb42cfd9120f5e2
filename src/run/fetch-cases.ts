import { fetchIdOf } from '../facts/fetch-id.ts'
import { lookAtFetch } from '../fetch/look-at-fetch.ts'
import { defined } from '../lib/defined.ts'
import type { HostFacts } from '../model/facts.ts'
import type { FetchFact } from '../model/fetch.ts'
import type { EndedJob } from '../model/fetch-document.ts'
import type { Host } from '../model/fleet.ts'
import { type Observed, unknown } from '../model/observed.ts'
import type { Problem } from '../model/plan.ts'
import { detailQuestions, withDetails } from '../simulate/fetch/details.ts'
import { failureProblem } from '../simulate/fetch/failure.ts'
import { fetchCase } from '../simulate/fetch/fetch-case.ts'
import { judgeFetch } from '../simulate/fetch/judge.ts'
import { type JudgedModel, judgedTogether } from '../simulate/fetch/judge-host.ts'
import { misfitOf } from '../simulate/fetch/misfit.ts'
import type { SourcedModel } from '../simulate/fetch/order.ts'
import { sourcedModels } from '../simulate/fetch/sources.ts'
import type { DetailAsker } from './ask-hubs.ts'
import { type FetchAsking, withNeighbours } from './look-at-neighbours.ts'
import type { Run } from './run.ts'

/** One model, and where its record is. */
export interface JudgedFetch extends JudgedModel {
  readonly host: Host
  /** Converge's folder on the host; absent: unknown. */
  readonly root?: string
  /** Present if this run started its job. */
  readonly begun?: BegunJob
  /** Why the host could not serve the model. */
  readonly misfit?: Problem
}

/** A job that this run started or restarted. */
export interface BegunJob {
  /** How the previous job ended; absent: successfully, or there was none. */
  readonly after?: EndedJob
}

export interface JudgedFetches {
  readonly unreachable: readonly { readonly host: string; readonly problem: Problem }[]
  readonly models: readonly JudgedFetch[]
}

/**
 * Judges every model of the selected services that comes from a hub, by its state on the host and the hub's answer. Keeps connections
 * open.
 *
 * @param asking absent: ask no hub and no other host
 */
export async function judgeFetches(run: Run, asking?: FetchAsking): Promise<JudgedFetches> {
  const sourced = run.open.hosts
    .map((host) => ({ host, models: sourcedModels(host.services, run.open.selects) }))
    .filter(({ models }) => models.length > 0)
  const looked = sourced.map(({ host }) => host)
  const seen = await run.observe(looked, { keep: true, phase: 'gather' })
  const unreachable = sourced.flatMap(({ host }) => {
    const facts = seen.get(host.name)
    return facts === undefined || 'salt' in facts ? [] : [{ host: host.name, problem: facts }]
  })
  const judged = await Promise.all(
    sourced.map(async ({ host, models }) => {
      const facts = seen.get(host.name)
      if (facts === undefined || !('salt' in facts)) return []
      return Promise.all(models.map((model) => judgeModel(run, { host, model, facts }, asking)))
    }),
  )
  const alone = judged.flat()
  const among = asking === undefined ? alone : await withNeighbours(run, { judged: alone, seen }, asking)
  const detailed = asking === undefined ? among : await Promise.all(among.map((one) => withMore(one, asking.askMore)))
  const fitting = detailed.map((one) => withMisfit(run, one, seen.get(one.host.name)))
  const byHost = Map.groupBy(fitting, ({ about }) => about.host)
  return { unreachable, models: [...byHost.values()].flatMap(judgedTogether) }
}

/** Judges a model again with details from its hub. */
async function withMore(one: JudgedFetch, askMore: DetailAsker): Promise<JudgedFetch> {
  const { listing } = one.about
  const answers = await Promise.all(detailQuestions([one]).map(askMore))
  if (listing === undefined || 'code' in listing || answers.length === 0) return one
  const about = {
    ...one.about,
    listing: withDetails(
      listing,
      answers.filter((answer) => answer !== undefined),
    ),
  }
  return { ...one, about, verdict: judgeFetch(about) }
}

function withMisfit({ open }: Run, one: JudgedFetch, facts: HostFacts | Problem | undefined): JudgedFetch {
  if (facts === undefined || !('salt' in facts)) return one
  const misfit = misfitOf(one.host, { facts, headroomGb: open.fleet.settings.headroomGb }, one)
  return misfit === undefined ? one : { ...one, misfit }
}

/** Judges a model again after a while, with the same answer of its hub. */
export async function judgeAgain(run: Run, job: JudgedFetch): Promise<JudgedFetch> {
  const { about, host, root } = job
  if (root === undefined) throw new Error(`the folder on ${host.name} is unknown`)
  const again = { ...about, fact: await factOf(run, host, root, about.model) }
  return { ...job, about: again, verdict: judgeFetch(again) }
}

/** How the last job of a model failed or stopped; undefined: it succeeded, is running, or there was none. */
export function endedJob({ about: { host, fact } }: JudgedModel): EndedJob | undefined {
  const job = fact.known ? fact.value.job : null
  if (job?.state === 'stopped') return { state: 'stopped' }
  if (job?.state === 'working' && !job.alive) return { state: 'cut-off' }
  return job?.state === 'failed' ? { state: 'failed', problem: failureProblem(host, job) } : undefined
}

async function judgeModel(
  run: Run,
  { host, model, facts }: { readonly host: Host; readonly model: SourcedModel; readonly facts: HostFacts },
  asking: FetchAsking | undefined,
): Promise<JudgedFetch> {
  const root = facts.layout.known ? facts.layout.value.root : undefined
  const [fact, listing] = await Promise.all([
    root === undefined ? unknown('not-gathered', 'converge’s folder there is unknown') : factOf(run, host, root, model),
    // With `from: fleet`, other hosts are asked first.
    model.source.from === 'fleet' ? undefined : asking?.askHub(model.source),
  ])
  const about = fetchCase(facts, { host: host.name, model, fact, ...defined({ listing }) })
  return { host, about, ...defined({ root }), verdict: judgeFetch(about) }
}

async function factOf(run: Run, host: Host, root: string, { kind, path }: SourcedModel): Promise<Observed<FetchFact>> {
  const view = await run.connections.to(host)
  return lookAtFetch(view, { root, id: fetchIdOf(path), kind, model: path }, run.context.signal)
}
