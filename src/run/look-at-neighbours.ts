import { judgeFetch } from '../simulate/fetch/judge.ts'
import type { JudgedModel } from '../simulate/fetch/judge-host.ts'
import { filesOfFleet, neighboursOf, repositoryKey } from '../simulate/fetch/neighbours.ts'
import { sourcedModels } from '../simulate/fetch/sources.ts'
import type { DetailAsker, HubAsker } from './ask-hubs.ts'
import type { Observation } from './planning-run.ts'
import type { Run } from './run.ts'

/** Whom to ask about models to fetch. */
export interface FetchAsking {
  readonly askHub: HubAsker
  readonly askMore: DetailAsker
  /** Whether files may come from other hosts although the hub has them too. */
  readonly mayCopy: boolean
}

/**
 * Judges unfinished models with the files of other hosts, including unselected hosts with a model of the same
 * repository. Those are only read, and their errors do not concern this run. Hubs not asked yet are asked only
 * where the fleet does not know the files.
 */
export async function withNeighbours<One extends JudgedModel>(
  run: Run,
  { judged, seen }: { readonly judged: readonly One[]; readonly seen: Observation },
  { askHub, mayCopy }: Omit<FetchAsking, 'askMore'>,
): Promise<readonly One[]> {
  const waiting = new Set(judged.filter((one) => waits(one, mayCopy)))
  if (waiting.size === 0) return judged
  const needed = new Set([...waiting].map(({ about }) => repositoryKey(about.model.source)))
  const { hosts } = run.open.fleet
  const others = hosts.filter(
    ({ name, services }) =>
      !seen.has(name) && sourcedModels(services, () => true).some(({ source }) => needed.has(repositoryKey(source))),
  )
  const more = others.length === 0 ? new Map() : await run.observe(others, { keep: true, phase: 'gather' })
  const files = filesOfFleet(hosts, new Map([...seen, ...more]))
  return Promise.all(
    judged.map(async (one) => {
      if (!waiting.has(one)) return one
      const { host, model } = one.about
      const about = { ...one.about, neighbours: neighboursOf(files, host, model) }
      const verdict = judgeFetch(about)
      if (verdict.order !== undefined || verdict.problem?.code === 'FETCH.NO_NEIGHBOUR' || about.listing !== undefined)
        return { ...one, about, verdict }
      const listed = { ...about, listing: await askHub(model.source) }
      return { ...one, about: listed, verdict: judgeFetch(listed) }
    }),
  )
}

/** Whether the model may come from another host, as far as is known now. */
function waits({ about: { model, fact }, verdict: { state, problem } }: JudgedModel, mayCopy: boolean): boolean {
  const { from = 'auto' } = model.source
  // A host without a download tool can still receive copies.
  const isOpen = ['due', 'stopped', 'failed', 'unknown'].includes(state) || problem?.code === 'MODEL.NO_FETCHER'
  return fact.known && (from === 'fleet' || (from === 'auto' && mayCopy)) && isOpen
}
