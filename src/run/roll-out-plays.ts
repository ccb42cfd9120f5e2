import { hasWork, type RunContext } from '../apply/host-task.ts'
import { type RolloutHost, type RolloutPlay, rollOut } from '../apply/rollout.ts'
import { version } from '../context/version.ts'
import { ConvergeError, InternalError } from '../errors/converge-error.ts'
import { hostBug } from '../errors/host-bug.ts'
import { defined } from '../lib/defined.ts'
import type { Emit } from '../model/event.ts'
import type { Host } from '../model/fleet.ts'
import type { ApprovedPlan } from '../model/plan.ts'
import type { HostReport } from '../model/report.ts'
import type { Shard } from '../model/shard.ts'
import { isRunProvedDead } from '../state/dead-run.ts'
import type { Resumption } from '../state/resumption.ts'
import type { RunIdentity } from '../state/run-identity.ts'
import type { RunJournal } from '../state/run-journal.ts'
import type { PlanFile } from '../state/saved-plan.ts'
import type { ActingRun } from './acting-run.ts'
import { createHostTask } from './host-task.ts'
import { ownersOf, type PlanRequest } from './make-plan.ts'
import type { Observation } from './planning-run.ts'
import type { SelectedPlay } from './plays.ts'

export interface RolloutInput {
  readonly identity: RunIdentity
  readonly request: PlanRequest
  readonly facts: Observation
  readonly plan: ApprovedPlan
  readonly journal: RunJournal
  readonly signal: AbortSignal
  /** How long to wait for another run on a host; undefined: do not wait. */
  readonly lockTimeoutMs: number | undefined
  readonly saved?: PlanFile | undefined
  readonly resumes?: Resumption | undefined
}

/** Applies the approved plan, play by play. */
export async function rollOutPlays(run: ActingRun, input: RolloutInput): Promise<readonly HostReport[]> {
  const { context } = run
  const { identity, journal, signal, lockTimeoutMs } = input
  const { run_id: runId, owner, controller, pid } = identity
  const emit: Emit = (event) => {
    journal.hear(event)
    run.emit(event)
  }
  const runContext: RunContext = {
    runId,
    version,
    owner,
    controller,
    pid,
    clock: context.clock,
    emit,
    journal,
    nonce: () => context.random(16),
    signal,
    force: context.force,
    isProvedDead: (holder) => isRunProvedDead(context, holder),
    ...defined({ lockTimeoutMs, shard: run.open.shard && shardForLog(run.open.shard.shard) }),
  }
  const changing = input.plan.hosts.filter((host) => host.actions.some(({ kind }) => kind !== 'noop')).map((host) => host.host)
  if (changing.length > 0) run.emit({ type: 'phase', phase: 'apply', hosts: changing })
  const owners = ownersOf(run, input.request.plays)
  const plays: RolloutPlay[] = []
  for (const selected of input.request.plays) plays.push(await rolloutPlay(run, input, selected, owners))
  return rollOut(plays, { forks: run.flags.forks, run: runContext })
}

function shardForLog({ index, of, run_id }: Shard): string {
  return run_id === undefined ? `${index}/${of}` : `${index}/${of} of ${run_id}`
}

async function rolloutPlay(
  run: ActingRun,
  input: RolloutInput,
  selected: SelectedPlay,
  owners: ReadonlyMap<string, SelectedPlay>,
): Promise<RolloutPlay> {
  const owns = (host: string, service: string) => owners.get(`${host}/${service}`) === selected
  const hosts: RolloutHost[] = []
  for (const host of selected.hosts) {
    const guarded = rolloutHost(run, input, { host, play: selected }, owns).catch((error: unknown): RolloutHost => {
      if (input.signal.aborted && !(error instanceof ConvergeError)) throw error
      return { host: host.name, unreachable: hostBug(host.name, error).toProblem() }
    })
    const one = await guarded
    // A host with nothing to upgrade is no canary for the others.
    if (input.request.registries === undefined || 'unreachable' in one || hasWork(one)) hosts.push(one)
  }
  const { name, serial, maxFailPercentage, verify } = selected.play
  return { name, hosts, maxFailPercentage, verify, ...defined({ serial }) }
}

async function rolloutHost(
  run: ActingRun,
  input: RolloutInput,
  { host, play }: { readonly host: Host; readonly play: SelectedPlay },
  owns: (host: string, service: string) => boolean,
): Promise<RolloutHost> {
  const { name } = host
  const plan = input.plan.hosts.find((one) => one.host === name)
  const facts = input.facts.get(name)
  if (plan === undefined || facts === undefined) throw new InternalError(`${name} was not planned`)
  if (!('salt' in facts)) return { host: name, unreachable: facts }
  const { request, saved, resumes } = input
  const actions = plan.actions.filter(({ kind, service }) => kind !== 'noop' && owns(name, service))
  const task = await createHostTask({
    run,
    runId: input.identity.run_id,
    request,
    play,
    host,
    facts,
    plan,
    actions,
    waits: input.lockTimeoutMs !== undefined,
    owns: (service) => owns(name, service),
    unproved: resumes?.run.hosts.find((one) => one.host === name)?.services ?? [],
  })
  return saved === undefined || actions.length === 0 ? task : { ...task, savedPlan: saved.plan.saved.id }
}
