import type { Approval } from '../../src/model/playbook.ts'
import type { PlanInput } from '../../src/plan/plan-fleet.ts'
import type { ServiceOptions } from '../support/build.ts'
import { planInputOf, type ScenarioFacts } from '../support/scenario.ts'

/** The present and the desired state of one service, with a word for messages. */
export interface Lot {
  readonly word: string
  readonly was?: ServiceOptions
  readonly wish: ServiceOptions
  /** It is in the middle of a request. */
  readonly busy?: true
  /** What its process has taken of its own. */
  readonly holdsGb?: number
  /** It is down, and was up when it was last applied. */
  readonly wasUp?: true
}

export interface SmallWorld {
  readonly lots: readonly Lot[]
  readonly memory: ScenarioFacts['memory']
  readonly approvals: readonly Omit<Approval, 'origin'>[]
}

const names = ['ada', 'bob', 'cleo', 'dan']

/** On one Linux host; units are quicker to render than compose files, and the search sees neither. */
export function inputOf({ lots, memory, approvals }: SmallWorld): PlanInput {
  const named = lots.map((lot, index) => ({ ...lot, name: names[index] ?? '' }))
  const unit = { manager: 'systemd', keyDelivery: 'inline' } as const
  return planInputOf({
    about: 'one of all small hosts',
    services: Object.fromEntries(named.map(({ name, wish }) => [name, { ...unit, ...wish }])),
    was: Object.fromEntries(named.flatMap(({ name, was }) => (was === undefined ? [] : [[name, { ...unit, ...was }]]))),
    facts: {
      ...(memory === undefined ? {} : { memory }),
      http: Object.fromEntries(named.flatMap(({ name, busy }) => (busy === true ? [[name, { busy: 1 }]] : []))),
      holdsGb: Object.fromEntries(named.flatMap(({ name, holdsGb }) => (holdsGb === undefined ? [] : [[name, holdsGb]]))),
      over: {
        applied: {
          value: Object.fromEntries(named.flatMap(({ name, wasUp }) => (wasUp === true ? [[name, seenUp(name)]] : []))),
        },
      },
    },
    approvals,
  })
}

function seenUp(service: string) {
  const of = { appliedAt: '2026-10-20T08:00:00.000Z', definitionDigest: 'none' }
  const warmup = { healthyS: 10, measuredAt: of.appliedAt, model: 'none', definitionDigest: 'none' }
  return { service, mark: `com.example.${service}`, runId: 'r1', ...of, wanted: { state: 'running' }, warmup }
}

/** `9990>9991`, `+9990`, `x9990`. */
export function portLots(ports: readonly number[]): readonly Lot[] {
  return ports.flatMap((port) => [
    { word: `+${port}`, wish: { port } },
    { word: `x${port}`, was: { port }, wish: { port, state: 'stopped' } as const },
    ...ports.map((to) => ({ word: `${port}>${to}`, was: { port, ctxSize: 2048 }, wish: { port: to } })),
  ])
}

/** The same of a Kind B, of which what is written stands apart from the restart: `B9990>9991`, `B+9990`, `Bx9990`. */
export function kindBLots(ports: readonly number[]): readonly Lot[] {
  const kindB = { kind: 'B', ramGb: 8 } as const
  return portLots(ports).map(({ word, was, wish }) => ({
    word: `B${word}`,
    ...(was === undefined ? {} : { was: { ...was, ...kindB } }),
    wish: { ...wish, ...kindB },
  }))
}

export function busyLots(ports: readonly number[]): readonly Lot[] {
  return portLots(ports).flatMap((lot) => (/^(\d+)>(?!\1)/.test(lot.word) ? [{ ...lot, word: `${lot.word}!`, busy: true }] : []))
}

/** Each on a port of its own: what differs is what they hold and what they want. */
export function memoryLots(port: number): readonly Lot[] {
  const small = { port, extraArgs: ['--cache-ram', '0'] }
  const large = { port, extraArgs: ['--cache-ram', '8192'] }
  const other = { ctxSize: 2048 }
  return [
    { word: '+s', wish: small },
    { word: '+L', wish: large },
    { word: 's>L', was: { ...small, ...other }, wish: large, holdsGb: 1 },
    { word: 'L>s', was: { ...large, ...other }, wish: small, holdsGb: 9 },
    { word: 'L>s!', was: { ...large, ...other }, wish: small, holdsGb: 9, busy: true },
    { word: 'xL', was: large, wish: { ...large, state: 'stopped' }, holdsGb: 9 },
    { word: 'B>', was: { ...other, kind: 'B', ramGb: 8, port }, wish: { kind: 'B', ramGb: 8, port }, holdsGb: 7 },
  ]
}

/** As a run that was cut off left them: `9990|9991` is down and has its old definition, `|9991` has its new one, with a large cache or without. */
export function cutOffLots(ports: readonly number[]): readonly Lot[] {
  return ports.flatMap((to) => {
    const down = { state: 'stopped' } as const
    const small = { port: to, extraArgs: ['--cache-ram', '0'] }
    const large = { port: to, extraArgs: ['--cache-ram', '8192'] }
    const lots: readonly Lot[] = [
      { word: `|${to}`, was: { ...small, ...down }, wish: small },
      { word: `|${to}L`, was: { ...large, ...down }, wish: large },
      ...ports.map((port) => ({ word: `${port}|${to}`, was: { ...small, port, ...down }, wish: small })),
    ]
    return lots.map((lot): Lot => ({ ...lot, wasUp: true }))
  })
}

/** A Kind B whose budget changes, `B9990/4>9991/24`, beside servers that give memory back or want more of it: `A9990/9>9990/1`. */
export function budgetLots(ports: readonly number[]): readonly Lot[] {
  const moves = ports.flatMap((port) => ports.map((to) => [port, to] as const))
  const kindB = { kind: 'B' } as const
  return [
    ...ports.map((port) => ({ word: `+B${port}`, wish: { ...kindB, ramGb: 16, port } })),
    ...ports.map((port) => ({ word: `+A${port}`, wish: { ...cache(9), port } })),
    ...moves.flatMap(([port, to]) =>
      [[4, 24] as const, [24, 4] as const].map(([from, want]) => ({
        word: `B${port}/${from}>${to}/${want}`,
        was: { ...kindB, ramGb: from, port, ctxSize: 2048 },
        wish: { ...kindB, ramGb: want, port: to },
        holdsGb: from - 1,
      })),
    ),
    ...moves.flatMap(([port, to]) =>
      [[1, 9] as const, [9, 1] as const].map(([from, want]) => ({
        word: `A${port}/${from}>${to}/${want}`,
        was: { ...cache(from), port, ctxSize: 2048 },
        wish: { ...cache(want), port: to },
        holdsGb: from,
      })),
    ),
  ]
}

function cache(gb: number) {
  return { extraArgs: ['--cache-ram', String((gb - 1) * 1024)] }
}

/** Two servers cannot have had one port. */
export function isPossible({ lots }: SmallWorld): boolean {
  const ports = lots.flatMap(({ was }) => was?.port ?? [])
  return new Set(ports).size === ports.length
}

export function wordsOf({ lots, memory, approvals }: SmallWorld): string {
  const given = approvals.map(({ code, service }) => `${code}@${service}`).join(', ')
  return `${lots.map(({ word }) => word).join(' ')} on ${JSON.stringify(memory)}${given === '' ? '' : ` with ${given}`}`
}
