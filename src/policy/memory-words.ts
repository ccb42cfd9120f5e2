import { converge } from '../lib/next-command.ts'
import type { Host, Service } from '../model/fleet.ts'
import type { MemoryNeed, MemoryPart } from '../model/launch.ts'
import type { NextStep } from '../model/next-step.ts'
import { hasBudget } from '../servers/traits.ts'
import type { HostState, SimulatedResident } from '../simulate/host-state.ts'
import type { ActionContext, Evidence } from './rule.ts'
import { fleetLine, gib, gibibyte, inventoryLine, unknownWords } from './words.ts'

/** The memory that a start finds, and how it is calculated. Bytes. */
export interface RemainingMemory {
  readonly known: true
  /** For the server. Below zero: nothing is left, and the other servers lack that much. */
  readonly bytes: number
  /** After the old process of the server has ended. */
  readonly available: number
  readonly mapped: number
  /** Reserved by running servers that have not used it yet. */
  readonly promised: number
}

/** Each number of the calculation, so that people can find it on the host or in their inventory. */
export function memoryEvidence(context: ActionContext, need: MemoryNeed, remaining: RemainingMemory): readonly Evidence[] {
  const { service, fleet } = context
  return [
    ...need.parts.map(({ name, bytes, from }) => `${name}: ${gib(bytes)} (${from})`),
    ...availableLines(context, remaining),
    ...line('of that, file pages in use by other servers', remaining.mapped),
    ...line('of that, reserved for running servers that have not used it yet', remaining.promised),
    ...unknownLines(context),
    fleetLine(
      fleet,
      ['headroom_gb'],
      `headroom for the system (fleet.headroom_gb): ${gib(fleet.settings.headroomGb * gibibyte)}`,
    ),
    `left: ${remaining.bytes < 0 ? 'nothing' : gib(remaining.bytes)}; missing: ${gib(missing(need, remaining))}`,
    ...requestLines(service, need),
  ]
}

/** What the inventory requests memory for, the largest part first. */
function requestLines(service: Service, { parts }: MemoryNeed): readonly Evidence[] {
  const { name, model, ramGb, ctxSize } = service
  if (hasBudget(service.kind)) return [inventoryLine(service, ['ram_gb'], `${name}: ram_gb ${ramGb ?? 'is not set'}`)]
  const context = inventoryLine(service, ['ctx_size'], `${name}: context of ${ctxSize} tokens`)
  const [largest] = parts.toSorted((a, b) => b.bytes - a.bytes)
  if (largest?.name !== 'weights') return [context]
  return [inventoryLine(service, ['model', 'path'], `${name}: model.path ${model.path}`), context]
}

function unknownLines({ before, service }: ActionContext): readonly string[] {
  return neighbours(before, service.name).flatMap((one) =>
    one.dueBytes.known ? [] : [`${one.service ?? one.description} may still take all of it: ${unknownWords(one.dueBytes)}`],
  )
}

/** What was available when the facts were gathered, and what the plan changes about it before this start. */
function availableLines({ facts, before, service }: ActionContext, remaining: RemainingMemory): readonly string[] {
  const total = `${gib(remaining.available)}, reclaimable page cache included`
  if (!facts.memory.known || !before.residents.known) return [`available: ${total}`]
  const now = facts.memory.value.availableBytes
  const own = sumOf(before.residents.value.filter((one) => one.service === service.name))
  const started = startedBefore(before, service.name)
  const ended = remaining.available - own - now + sumOf(started)
  const changes = [
    ...line(`freed when the running ${service.name} stops`, own),
    ...line('freed by what this plan stops first', ended),
    ...started.map((one) => `used by ${one.service ?? 'another server'}, which this plan starts first: ${gib(one.ownBytes)}`),
  ]
  const seen = `available on the host now: ${gib(now)}, reclaimable page cache included`
  return changes.length === 0 ? [seen] : [seen, ...changes, `available at its start: ${gib(remaining.available)}`]
}

/** Suggested changes: each one that is enough by itself, and the one for the largest part of the need. If none is enough: all that help. */
export function memoryAdvice(context: ActionContext, need: MemoryNeed, remaining: RemainingMemory): readonly NextStep[] {
  const { service, host, fleet } = context
  const short = missing(need, remaining)
  const part = (name: MemoryPart['name']) => need.parts.find((one) => one.name === name)?.bytes ?? 0
  const headroom = fleet.settings.headroomGb * gibibyte
  const largest = Math.max(...need.parts.map(({ bytes }) => bytes))
  const ways: readonly (readonly [bytes: number, words: string])[] = [
    [part('prompt cache'), promptCacheWords(service.name, part('prompt cache'), short)],
    [part('KV cache'), `Lower ctx_size of ${service.name}: its KV cache takes ${gib(part('KV cache'))}.`],
    [part('weights'), `Give ${service.name} a smaller model: its weights are ${gib(part('weights'))}.`],
    [part('RAM budget'), `Lower ram_gb of ${service.name}.`],
    // Some headroom must remain.
    [headroom / 2, `Lower fleet.headroom_gb if the rest of ${host.name} needs less than ${gib(headroom)}.`],
    ...others(context, host),
  ]
  const counting = ways.filter(([bytes]) => bytes >= mebibyte).toSorted(([a], [b]) => b - a)
  const enough = counting.filter(([bytes]) => bytes >= short)
  const suggested = enough.length === 0 ? counting : counting.filter((one) => enough.includes(one) || one[0] === largest)
  return [
    ...suggested.map(([, words]) => words),
    converge(['plan', '--limit', host.name], {
      say: 'If a process ended a moment ago, its memory may not be free yet. Plan again:',
    }),
  ]
}

function others({ before, service }: ActionContext, { name }: Host): readonly (readonly [number, string])[] {
  return neighbours(before, service.name).map((one) => {
    const what = `${one.seen === undefined ? 'Do not start' : 'Stop'} ${one.service ?? one.description} on ${name}`
    if (!one.dueBytes.known) return [Number.POSITIVE_INFINITY, `${what}: how much it takes is unknown.`]
    const bytes = one.ownBytes + one.mappedBytes + one.dueBytes.value
    return [bytes, `${what}: it takes ${gib(bytes)}.`]
  })
}

function neighbours({ residents }: HostState, name: string): readonly SimulatedResident[] {
  return residents.known ? residents.value.filter((one) => one.service !== name) : []
}

/** The largest of the usual cache sizes that fits. */
function promptCacheWords(service: string, bytes: number, short: number): string {
  const fitting = [4096, 2048, 1024, 512].find((mib) => bytes - mib * mebibyte >= short) ?? 0
  return `Limit the prompt cache of ${service}, which takes ${gib(bytes)}:  extra_args: ["--cache-ram", "${fitting}"]`
}

/** The part that dominates the need, as the end of a clause; empty where none does. */
export function largestPart({ parts, hardBytes, softBytes }: MemoryNeed): string {
  const [largest] = parts.toSorted((a, b) => b.bytes - a.bytes)
  if (largest === undefined || largest.bytes < (hardBytes + softBytes) / 2 || parts.length === 1) return ''
  return ` (${gib(largest.bytes)} for its ${largest.name})`
}

const mebibyte = 1024 ** 2

function missing(need: MemoryNeed, remaining: RemainingMemory): number {
  return need.hardBytes + need.softBytes - remaining.bytes
}

function startedBefore(state: HostState, name: string): readonly SimulatedResident[] {
  return neighbours(state, name).filter((one) => one.seen === undefined)
}

function sumOf(residents: readonly SimulatedResident[]): number {
  return residents.reduce((sum, one) => sum + one.ownBytes, 0)
}

function line(what: string, bytes: number): readonly string[] {
  return bytes < mebibyte ? [] : [`${what}: ${gib(bytes)}`]
}
