import { converge } from '../lib/next-command.ts'
import type { Host, Service } from '../model/fleet.ts'
import type { MemoryNeed, MemoryPart } from '../model/launch.ts'
import type { NextStep } from '../model/next-step.ts'
import { hasBudget } from '../servers/traits.ts'
import type { HostState, SimulatedResident } from '../simulate/host-state.ts'
import type { ActionContext, Evidence } from './rule.ts'
import { fleetLine, gib, gibibyte, inventoryLine, unknownWords } from './words.ts'

/** What a start finds in memory, and how that came about. Bytes. */
export interface KnownLeft {
  readonly known: true
  /** For the server; below zero: there is nothing, and that much is missing for the others. */
  readonly bytes: number
  /** Once the server's own old process is gone. */
  readonly available: number
  readonly mapped: number
  /** What running servers were given and have not taken yet. */
  readonly promised: number
}

/** Each number of the reckoning by itself, so that people can find it on the host or in their inventory. */
export function memoryEvidence(context: ActionContext, need: MemoryNeed, left: KnownLeft): readonly Evidence[] {
  const { service, fleet } = context
  return [
    ...need.parts.map(({ name, bytes, from }) => `${name}: ${gib(bytes)} (${from})`),
    ...availableLines(context, left),
    ...line('of it other servers work from', left.mapped),
    ...line('of it running servers have not taken yet, of what they were started with', left.promised),
    ...untoldLines(context),
    fleetLine(
      fleet,
      ['headroom_gb'],
      `headroom for the system: ${gib(fleet.settings.headroomGb * gibibyte)} (fleet.headroom_gb)`,
    ),
    `left: ${left.bytes < 0 ? 'nothing' : gib(left.bytes)}; missing: ${gib(missing(need, left))}`,
    ...wantedLines(service, need),
  ]
}

/** What the inventory asks memory for, what takes most of it first. */
function wantedLines(service: Service, { parts }: MemoryNeed): readonly Evidence[] {
  const { name, model, ramGb, ctxSize } = service
  if (hasBudget(service.kind)) return [inventoryLine(service, ['ram_gb'], `${name}: ram_gb ${ramGb ?? 'is not given'}`)]
  const context = inventoryLine(service, ['ctx_size'], `${name}: context of ${ctxSize} tokens`)
  const [largest] = parts.toSorted((a, b) => b.bytes - a.bytes)
  if (largest?.name !== 'weights') return [context]
  return [inventoryLine(service, ['model', 'path'], `${name}: model.path ${model.path}`), context]
}

function untoldLines({ before, service }: ActionContext): readonly string[] {
  return neighbours(before, service.name).flatMap((one) =>
    one.dueBytes.known ? [] : [`${one.service ?? one.description} may still take all of it: ${unknownWords(one.dueBytes)}`],
  )
}

/** What was seen, and what the plan has changed of that by the time of this start. */
function availableLines({ facts, before, service }: ActionContext, left: KnownLeft): readonly string[] {
  const total = `${gib(left.available)}, reclaimable page cache included`
  if (!facts.memory.known || !before.residents.known) return [`available: ${total}`]
  const now = facts.memory.value.availableBytes
  const own = sumOf(before.residents.value.filter((one) => one.service === service.name))
  const begun = begunBefore(before, service.name)
  const ended = left.available - own - now + sumOf(begun)
  const changes = [
    ...line(`comes free when the ${service.name} that runs now ends`, own),
    ...line('comes free by what this plan stops before', ended),
    ...begun.map((one) => `taken by ${one.service ?? 'another'}, which this plan starts before: ${gib(one.ownBytes)}`),
  ]
  const seen = `available on the host now: ${gib(now)}, reclaimable page cache included`
  return changes.length === 0 ? [seen] : [seen, ...changes, `available at its start: ${gib(left.available)}`]
}

/** What can be changed: what would do by itself, and the largest part of the need; where nothing would do, everything that counts. */
export function memoryAdvice(context: ActionContext, need: MemoryNeed, left: KnownLeft): readonly NextStep[] {
  const { service, host, fleet } = context
  const short = missing(need, left)
  const part = (name: MemoryPart['name']) => need.parts.find((one) => one.name === name)?.bytes ?? 0
  const headroom = fleet.settings.headroomGb * gibibyte
  const largest = Math.max(...need.parts.map(({ bytes }) => bytes))
  const ways: readonly (readonly [bytes: number, words: string])[] = [
    [part('prompt cache'), promptCacheWords(service.name, part('prompt cache'), short)],
    [part('KV cache'), `Lower ctx_size of ${service.name}: its KV cache takes ${gib(part('KV cache'))}.`],
    [part('weights'), `Give ${service.name} a smaller model: its weights are ${gib(part('weights'))}.`],
    [part('RAM budget'), `Lower ram_gb of ${service.name}.`],
    // Some of it has to stay.
    [headroom / 2, `Lower fleet.headroom_gb, where the rest of ${host.name} needs less than ${gib(headroom)}.`],
    ...others(context, host),
  ]
  const counting = ways.filter(([bytes]) => bytes >= mebibyte).toSorted(([a], [b]) => b - a)
  const enough = counting.filter(([bytes]) => bytes >= short)
  const told = enough.length === 0 ? counting : counting.filter((one) => enough.includes(one) || one[0] === largest)
  return [
    ...told.map(([, words]) => words),
    converge(['plan', '--limit', host.name], {
      say: 'What ended a moment ago may not have given its memory back yet. Look again:',
    }),
  ]
}

function others({ before, service }: ActionContext, { name }: Host): readonly (readonly [number, string])[] {
  return neighbours(before, service.name).map((one) => {
    const what = `${one.seen === undefined ? 'Leave out' : 'Stop'} ${one.service ?? one.description} on ${name}`
    if (!one.dueBytes.known) return [Number.POSITIVE_INFINITY, `${what}: nobody can tell how much it takes.`]
    const bytes = one.ownBytes + one.mappedBytes + one.dueBytes.value
    return [bytes, `${what}: it takes ${gib(bytes)}.`]
  })
}

function neighbours({ residents }: HostState, name: string): readonly SimulatedResident[] {
  return residents.known ? residents.value.filter((one) => one.service !== name) : []
}

/** The largest cache that fits, of those that people would write. */
function promptCacheWords(service: string, bytes: number, short: number): string {
  const fitting = [4096, 2048, 1024, 512].find((mib) => bytes - mib * mebibyte >= short) ?? 0
  return `Keep fewer prompts in the memory of ${service}, which takes ${gib(bytes)}:  extra_args: ["--cache-ram", "${fitting}"]`
}

/** What of the need stands out, for the sentence. */
export function largestPart({ parts, hardBytes, softBytes }: MemoryNeed): string {
  const [largest] = parts.toSorted((a, b) => b.bytes - a.bytes)
  if (largest === undefined || largest.bytes < (hardBytes + softBytes) / 2 || parts.length === 1) return ''
  return `, ${gib(largest.bytes)} of it for its ${largest.name}`
}

const mebibyte = 1024 ** 2

function missing(need: MemoryNeed, left: KnownLeft): number {
  return need.hardBytes + need.softBytes - left.bytes
}

function begunBefore(state: HostState, name: string): readonly SimulatedResident[] {
  return neighbours(state, name).filter((one) => one.seen === undefined)
}

function sumOf(residents: readonly SimulatedResident[]): number {
  return residents.reduce((sum, one) => sum + one.ownBytes, 0)
}

function line(what: string, bytes: number): readonly string[] {
  return bytes < mebibyte ? [] : [`${what}: ${gib(bytes)}`]
}
