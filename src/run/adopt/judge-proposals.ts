import { judgeAdoption, type Source, type Verdict } from '../../adopt/judge-adoption.ts'
import type { ProposedService } from '../../adopt/propose-service.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { placeServices } from '../../inventory/place-services.ts'
import { loadInventory, loadInventoryFiles } from '../../load/load.ts'
import type { FieldChange } from '../../model/action.ts'
import type { AdoptReason } from '../../model/adopt-document.ts'
import type { Resident } from '../../model/facts.ts'
import type { FileEdit } from '../../model/file-edit.ts'
import type { Fleet } from '../../model/fleet.ts'
import { known } from '../../model/observed.ts'
import type { Secret } from '../../model/secret.ts'
import { planFleet } from '../../plan/plan-fleet.ts'
import { openCase, type ServiceCase } from '../../simulate/service-case.ts'
import { takeoverOf } from '../../simulate/takeover-of.ts'
import { resolveKeys } from '../keys.ts'
import { observeFleet } from '../observe-fleet.ts'
import type { Run } from '../run.ts'

/** A service that would describe a server of a host. */
export interface Candidate {
  readonly host: string
  readonly resident: Resident
  readonly proposal: ProposedService
  /** The key that it has, which is not stored yet. */
  readonly key?: { readonly file: string; readonly secret: Secret }
  /** What it describes, if its definition is another. Absent: no one has chosen. */
  readonly source?: Source
  /** The service that describes its definition instead. @param stale where that differs, `from` its value */
  readonly asDefined: (stale: readonly FieldChange[]) => ProposedService
}

/** What the plan makes of a proposed service. */
export interface Judged {
  readonly verdict: Verdict
  /** Where its definition would start another server than the one that runs. */
  readonly stale: readonly FieldChange[]
}

/** The edits of the inventory that add services, and the fleet as they would make it. */
export interface Extended {
  readonly edits: readonly FileEdit[]
  readonly fleet: Fleet
}

/** @throws ConvergeError `INVENTORY.INVALID` if the result would not be valid, or there is no place for a service */
export async function extendInventory(run: Run, candidates: readonly Candidate[]): Promise<Extended> {
  const { path } = run.open.fleet
  const files = await loadInventoryFiles(path)
  const byHost = Map.groupBy(candidates, ({ host }) => host)
  const wanted = [...byHost].map(([host, own]) => ({
    host,
    services: Object.fromEntries(own.map(({ proposal }) => [proposal.name, proposal.fields])),
  }))
  const edits = placeServices(files, wanted)
  if ('why' in edits)
    throw new ConvergeError('INVENTORY.INVALID', {
      summary: 'The services cannot be written into the inventory.',
      why: edits.why,
      next: ['Add them yourself; `converge adopt --json` has their fields.'],
    })
  const { fleet } = await loadInventory(path, { edits })
  return { edits, fleet }
}

/** Plans the extended inventory: a service is adopted as it is, or has reasons against that. By `host/service`. */
export async function judgeProposals(
  run: Run,
  { fleet }: Extended,
  candidates: readonly Candidate[],
): Promise<ReadonlyMap<string, Judged>> {
  const names = new Set(candidates.map(({ host }) => host))
  const hosts = fleet.hosts.filter(({ name }) => names.has(name))
  const { context, flags, connections, emit, resolve } = run
  const resolved = resolve === undefined ? run.keys : await resolveKeys(hosts, resolve)
  const read = candidates.flatMap(({ host, proposal, key }) =>
    key === undefined ? [] : [[`${host}/${proposal.name}`, known(key.secret)] as const],
  )
  const keys = new Map([...resolved, ...read])
  const settings = { fleet, keys, connections, timeoutMs: flags.timeout * 1000, emit }
  const facts = await observeFleet(context, { ...settings, hosts, forks: flags.forks, keep: false, phase: 'second-plan' })
  const pairs = new Set(candidates.map(({ host, proposal }) => `${host}/${proposal.name}`))
  const selection = { hosts: [...names], services: ['*'], pairs }
  const plan = planFleet({ fleet, facts, keys, selection, approvals: [], now: context.now().toISOString() })
  const judged = candidates.map((candidate): [string, Judged] => {
    const { host: name, proposal, resident, source } = candidate
    const host = hosts.find((one) => one.name === name)
    const service = host?.services.find((one) => one.name === proposal.name)
    const seen = facts.get(name)
    const planned = plan.hosts.find((one) => one.host === name)
    if (host === undefined || service === undefined || planned === undefined || seen === undefined || !('salt' in seen))
      return [`${name}/${proposal.name}`, { verdict: refused(unseenReason(seen)), stale: [] }]
    const subject = openCase(fleet, host, service, { facts: seen, keys })
    const verdict = judgeAdoption(subject, planned, source)
    const takeover = takeoverOf(subject)
    return [
      `${name}/${proposal.name}`,
      {
        verdict: isSame(subject, resident) || verdict.adoptable !== 'adopt' ? verdict : refused(restarted),
        stale: takeover?.known === true ? takeover.value.stale : [],
      },
    ]
  })
  return new Map(judged)
}

function isSame({ state }: ServiceCase, { pid }: Resident): boolean {
  return state.known && state.value.process?.pid === pid
}

function refused(reason: AdoptReason): Verdict {
  return { adoptable: 'no', reasons: [reason], waits: [] }
}

const restarted: AdoptReason = {
  code: 'ADOPT.DIFFERS',
  why: 'It ended or was restarted while converge looked at it.',
  next: ['Run `converge adopt` again.'],
}

function unseenReason(problem: unknown): AdoptReason {
  const why = typeof problem === 'object' && problem !== null && 'why' in problem ? String(problem.why) : 'It was not seen again.'
  return { code: 'ADOPT.DIFFERS', why, next: ['Run `converge adopt` again.'] }
}
