import { binaryBytes } from '../../lib/binary-bytes.ts'
import { defined } from '../../lib/defined.ts'
import type { DiskFact } from '../../model/disk-fact.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { Host, Service } from '../../model/fleet.ts'
import { unknown } from '../../model/observed.ts'
import type { Problem } from '../../model/plan.ts'
import { type FetchCase, fetchCase } from './fetch-case.ts'
import { type FetchVerdict, judgeFetch } from './judge.ts'
import { type FleetFiles, neighboursOf } from './neighbours.ts'
import { needsRoom } from './objections.ts'
import { type HubAnswers, questionId, sourcedModels } from './sources.ts'
import { bytesToFetch } from './state.ts'

/** One model on a host, the facts about it, and the verdict. */
export interface JudgedModel {
  readonly about: FetchCase
  readonly verdict: FetchVerdict
}

/** Input for judging the models of a host. */
export interface ModelInputs {
  readonly facts: HostFacts
  /** Absent: no hub was asked. */
  readonly hubs?: HubAnswers
  /** Absent: what other hosts have is unknown. */
  readonly fleetFiles?: FleetFiles
  readonly selects: (service: Service) => boolean
}

/** The models that selected services of a host load from hubs, in the inventory's order. */
export function judgeHost(host: Host, { facts, hubs, fleetFiles, selects }: ModelInputs): readonly JudgedModel[] {
  const judged = sourcedModels(host.services, selects).map((model): JudgedModel => {
    const listing = hubs?.get(questionId(model.source))
    const fact = facts.fetches?.[model.path] ?? unknown('not-gathered', 'the host was not asked what it has of it')
    const neighbours = fleetFiles && neighboursOf(fleetFiles, host.name, model)
    const about = fetchCase(facts, { host: host.name, model, fact, ...defined({ listing, neighbours }) })
    return { about, verdict: judgeFetch(about) }
  })
  return judgedTogether(judged)
}

/**
 * The models of one host, after each was judged separately: two of them must not put different files at one path, and earlier ones leave less
 * space on their volume for later ones.
 */
export function judgedTogether<One extends JudgedModel>(judged: readonly One[]): readonly One[] {
  const claimed = new Map<string, number>()
  return judged.map((one) => {
    const problem = clashProblem(one, judged) ?? crowdProblem(one, claimed)
    const settled = problem === undefined ? one : { ...one, verdict: refused(one.verdict, problem) }
    claim(settled, claimed)
    return settled
  })
}

function refused({ order: _order, suppliers: _suppliers, ...verdict }: FetchVerdict, problem: Problem): FetchVerdict {
  return { ...verdict, state: 'refused', problem }
}

function clashProblem({ about, verdict }: JudgedModel, judged: readonly JudgedModel[]): Problem | undefined {
  if (verdict.state === 'complete' || verdict.state === 'fetching') return undefined
  for (const other of judged) {
    if (other.about.model.path === about.model.path) continue
    const theirs = new Map(other.verdict.files.map((file) => [file.path, file.digest.hex]))
    const file = verdict.files.find(({ path, digest }) => (theirs.get(path) ?? digest.hex) !== digest.hex)
    if (file === undefined) continue
    return {
      code: 'FETCH.SOURCES',
      summary: 'Two models would put different files at one path.',
      why: `On ${about.host}, the models of ${about.model.services.join(', ')} and ${other.about.model.services.join(', ')} both have a file ${file.path}, with different digests.`,
      next: ['Give each model its own folder.'],
    }
  }
  return undefined
}

/** It would fit alone, as `judgeFetch` found. */
function crowdProblem({ about, verdict }: JudgedModel, claimed: ReadonlyMap<string, number>): Problem | undefined {
  const volume = volumeOf(about)
  const others = volume === undefined ? 0 : (claimed.get(volume.name) ?? 0)
  const bytes = bytesToFetch(verdict.files)
  if (volume === undefined || verdict.order === undefined || others === 0 || bytes === 0) return undefined
  if (needsRoom(bytes + others) <= volume.disk.freeBytes) return undefined
  return {
    code: 'MODEL.NO_SPACE',
    summary: 'The model does not fit on the disk with the others.',
    why: `On ${about.host}, ${binaryBytes(bytes)} of ${about.model.path} and ${binaryBytes(others)} of other models are still missing (plus 5 % reserve), but ${binaryBytes(volume.disk.freeBytes)} are free on ${volume.name}.`,
    next: ['Free space there, or put model.path on another volume.'],
  }
}

function claim({ about, verdict }: JudgedModel, claimed: Map<string, number>): void {
  const volume = volumeOf(about)
  if (volume === undefined || (verdict.order === undefined && verdict.state !== 'fetching')) return
  claimed.set(volume.name, (claimed.get(volume.name) ?? 0) + bytesToFetch(verdict.files))
}

/** Volumes without a name are not distinguished. */
function volumeOf({ disk }: FetchCase): { readonly name: string; readonly disk: DiskFact } | undefined {
  if (disk?.known !== true || disk.value.mount === undefined) return undefined
  return { name: disk.value.mount, disk: disk.value }
}
