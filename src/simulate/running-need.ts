import { ownMember } from '../lib/own-member.ts'
import { allJobs } from '../managers/launchd/seen.ts'
import { ownershipLabelOf } from '../managers/ownership-label.ts'
import type { AppliedRecord } from '../model/applied-record.ts'
import type { HostFacts, ModelFiles, Resident } from '../model/facts.ts'
import { known, mapObserved, type Observed, unknown } from '../model/observed.ts'
import { type BudgetNames, budgetIn, type Started, startedBudget, startedModel } from '../servers/as-started.ts'
import { serverKinds } from '../servers/index.ts'
import type { ByWeights } from '../servers/memory-of-kind.ts'
import { isServerKind } from '../servers/traits.ts'
import type { SimulatedResident } from './host-state.ts'
import { pathOnHost } from './path-on-host.ts'
import type { ServiceCase } from './service-case.ts'

/** What a running server was started with, as far as memory is concerned. */
export type RunningNeed = Pick<SimulatedResident, 'dueBytes' | 'budgetBytes' | 'startedBytes'>

/** A running server, and what it holds now. */
export interface Running {
  readonly front: Resident
  readonly held: Pick<SimulatedResident, 'ownBytes' | 'mappedBytes'>
  readonly facts: HostFacts
  readonly org: string
  /** The service that it is, or those that it may be; empty: none of the inventory. */
  readonly owners: readonly ServiceCase[]
  /** The orphaned service it belongs to. */
  readonly orphaned: string | undefined
}

interface Owned extends Omit<Running, 'owners'> {
  readonly owner: ServiceCase | undefined
}

/**
 * From its own arguments and environment, never from the inventory. If the supervisor of a Kind B would restart it with more, that counts. If
 * its process does not show them, the largest possible value counts: by its definition, the host's record and the inventory. Foreign servers
 * are assumed to hold all they need, unless they have a budget.
 */
export function runningNeed({ owners, ...running }: Running): RunningNeed {
  const needs = (owners.length === 0 ? [undefined] : owners).map((owner) => needAs({ ...running, owner }))
  return needs.reduce((a, b) => ({
    dueBytes: larger(a.dueBytes, b.dueBytes),
    ...largerOf('budgetBytes', a, b),
    ...largerOf('startedBytes', a, b),
  }))
}

/** The larger of two possible values; an unknown one may be larger than anything. */
export function larger(a: Observed<number>, b: Observed<number>): Observed<number> {
  if (!a.known || !b.known) return a.known ? b : a
  return known(Math.max(a.value, b.value))
}

function largerOf(budget: 'budgetBytes' | 'startedBytes', a: RunningNeed, b: RunningNeed): Partial<RunningNeed> {
  const [one, other] = [a[budget], b[budget]]
  return one === undefined || other === undefined ? {} : { [budget]: larger(one, other) }
}

function needAs(running: Owned): RunningNeed {
  const { front, owner, held } = running
  const memory = isServerKind(front.role) ? serverKinds[front.role].memory : undefined
  if (memory?.by === 'budget') {
    const { started, now } = budgetsOf(running, memory)
    const [startedBytes, budgetBytes] = [inBytes(started), inBytes(now)]
    return { startedBytes, budgetBytes, dueBytes: mapObserved(budgetBytes, (bytes) => Math.max(0, bytes - held.ownBytes)) }
  }
  return { dueBytes: owner === undefined || memory === undefined ? known(0) : dueByWeights(running, owner, memory) }
}

/** The model files that a process uses; undefined: not observed. */
export function modelOfProcess(process: Resident, facts: HostFacts): ModelFiles | undefined {
  const path = startedModel(startedAs(process))
  const model = path === undefined ? undefined : ownMember(facts.models, pathOnHost(path, process, facts))
  return model?.known === true ? (model.value ?? undefined) : undefined
}

const gibibyte = 1024 ** 3

function startedAs({ argv, env }: Resident): Started {
  return { argv, env }
}

/** GiB: its budget at its start, and what it may get without a new definition. */
function budgetsOf(running: Owned, names: BudgetNames): Record<'started' | 'now', Observed<number>> {
  const { front, owner } = running
  const started = startedBudget({ argv: front.argv, env: front.env ?? loadedEnvironment(running) }, names)
  if (started === 'automatic') {
    const all = unknown('unreadable', 'it was started without a budget and takes all free memory')
    return { started: all, now: all }
  }
  const onDisk = owner === undefined ? undefined : budgetOnDisk(owner, names)
  const isSure = started !== undefined && (owner === undefined || onDisk !== undefined)
  const others = isSure ? [] : [recordedBudget(running), owner?.service.ramGb]
  const budgets = [started, ...(onDisk === undefined ? [] : [onDisk]), ...others].flatMap((one) =>
    typeof one === 'number' ? [one] : [],
  )
  const now =
    budgets.length === 0
      ? unknown('not-permitted', 'its budget is in its environment, which is not readable')
      : known(Math.max(...budgets))
  return { started: started === undefined ? now : known(started), now }
}

function inBytes(budget: Observed<number>): Observed<number> {
  return mapObserved(budget, (gib) => gib * gibibyte)
}

/** The environment that launchd loaded. */
function loadedEnvironment({ front, facts }: Owned): Started['env'] {
  return allJobs(facts).find(({ pid }) => pid === front.pid)?.environment
}

/** The definition, which its supervisor reads for a restart. 0: without a budget. Undefined: unreadable. */
function budgetOnDisk({ facts, question, manager, service }: ServiceCase, { flag, variable }: BudgetNames): number | undefined {
  const all = question.definitions.flatMap((path) => facts.definitions[path] ?? [])
  // One of several is where the definition was before.
  const seen = all.find((one) => !one.known || one.value !== null) ?? all[0]
  if (seen?.known !== true) return undefined
  const fields = seen.value === null ? {} : manager.fields(seen.value.content, service)
  if (fields === undefined) return undefined
  const budget = budgetIn(fields[`command.${flag}`], fields[`environment.${variable}`])
  return typeof budget === 'number' ? budget : 0
}

function recordedBudget(running: Owned): number | undefined {
  const budget = recordOf(running)?.wanted['ramGb']
  return typeof budget === 'number' && budget > 0 ? budget : undefined
}

function recordOf({ facts: { applied }, org, owner, orphaned }: Owned): AppliedRecord | undefined {
  const name = owner?.service.name ?? orphaned
  if (!applied.known || name === undefined) return undefined
  const record = ownMember(applied.value, name)
  return record?.mark === ownershipLabelOf(org, name) ? record : undefined
}

/** If its model was not observed, the desired one stands for its shape; without either, only its saved prompts can grow. */
function dueByWeights(running: Owned, { service }: ServiceCase, memory: ByWeights): Observed<number> {
  const { front, facts, held } = running
  const model = modelOfProcess(front, facts)
  const files = model === undefined ? (facts.models[service.model.path] ?? unknown('not-gathered')) : known(model)
  const env = front.env ?? loadedEnvironment(running)
  const started = memory.asStarted(service, { argv: front.argv, env })
  const need = serverKinds[service.kind].needs(started, files)
  // It took the rest when it started.
  if (!need.known) return memory.leastDue(started)
  return mapObserved(need, (bytes) => dueBytes(bytes, held))
}

/** The part of a need that is not held yet. */
export function dueBytes(
  need: { readonly hardBytes: number; readonly softBytes: number },
  { ownBytes, mappedBytes }: Running['held'],
): number {
  // What is copied instead of mapped is its own memory.
  const copied = Math.max(0, ownBytes - need.hardBytes)
  return Math.max(0, need.hardBytes - ownBytes) + Math.max(0, need.softBytes - mappedBytes - copied)
}
