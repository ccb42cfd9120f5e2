import type { HostFacts, Resident } from '../../src/model/facts.ts'
import type { Service } from '../../src/model/fleet.ts'
import { mapObserved } from '../../src/model/observed.ts'
import { gibibyte } from './build.ts'
import { pidOf } from './simulated-pid.ts'

/** GiB that a server holds once it is up: of its own, and of file pages that it works from. */
export interface Taken {
  readonly own: number
  readonly mapped: number
}

/** GiB of a model of Kind A by its path: one that is called larger is. */
export function weightsOf(path: string): number {
  return /larger/.test(path) ? 6 : 2
}

/**
 * Of one of the simulated hosts, on which a model of Kind A has 16 layers with four heads of 128 values for keys and as many
 * for values, two bytes each. A twentieth of both comes on top. Kind B takes what it is given.
 */
export function takenBy({ kind, ramGb = 0, ctxSize, extraArgs, model }: Service): Taken {
  if (kind === 'B') return { own: ramGb, mapped: 0 }
  return takenByKindA({
    ctxSize,
    promptsMib: extraArgs[0] === '--cache-ram' ? Number(extraArgs[1]) : 8192,
    weights: weightsOf(model.path),
  })
}

export function takenByKindA({ ctxSize, promptsMib, weights }: { ctxSize: number; promptsMib: number; weights: number }): Taken {
  const cache = (ctxSize * 16 * 4 * (128 + 128) * 2) / gibibyte
  return { own: cache + promptsMib / 1024 + (weights + cache) / 20, mapped: weights }
}

/** What the processes of a service hold now. A Mac does not show what is their own: of a model of unknown size all may be file pages. */
export function heldBy(facts: HostFacts, service: Service): Taken {
  const pid = pidOf(service)
  const own = facts.residents.known ? facts.residents.value.filter((one) => one.pid === pid || one.ppid === pid) : []
  const rss = own.reduce((sum, one) => sum + one.rssBytes, 0) / gibibyte
  if (service.kind === 'B') return { own: rss, mapped: 0 }
  if (own.every((one) => one.anonBytes !== undefined)) {
    const anon = own.reduce((sum, one) => sum + (one.anonBytes ?? 0), 0) / gibibyte
    return { own: anon, mapped: rss - anon }
  }
  const path = own[0]?.argv[own[0].argv.indexOf('--model') + 1] ?? ''
  const mapped = facts.models[path] === undefined ? rss : Math.min(weightsOf(path), rss)
  return { own: rss - mapped, mapped }
}

/** The facts with servers that hold what they take; what is available stays as it is. */
export function filled(facts: HostFacts, services: readonly Service[]): HostFacts {
  const isMac = facts.platform.known && facts.platform.value.os === 'macos'
  const byPid = new Map(services.map((service) => [pidOf(service), takenBy(service)]))
  const hold = (one: Resident): Resident => {
    const engine = one.role === 'engine'
    const taken = byPid.get(engine ? one.ppid : one.pid)
    if (taken === undefined) return one
    // A front of Kind B needs little, its engine all the rest.
    const own = one.role === 'A' ? taken.own : engine ? taken.own - 0.5 : 0.5
    const { anonBytes: _, ...rest } = one
    const anon = isMac ? {} : { anonBytes: own * gibibyte }
    return { ...rest, ...anon, rssBytes: (own + taken.mapped) * gibibyte }
  }
  return { ...facts, residents: mapObserved(facts.residents, (all) => all.map(hold)) }
}

/** The facts after a service was ended, begun or replaced, with what that freed and took. */
export function rebalanced(before: HostFacts, after: HostFacts, service: Service, starts: boolean): HostFacts {
  const now = starts ? filled(after, [service]) : after
  const freed = heldBy(before, service).own - heldBy(now, service).own
  return {
    ...now,
    memory: mapObserved(now.memory, (memory) => ({
      ...memory,
      availableBytes: memory.availableBytes + Math.round(freed * gibibyte),
    })),
  }
}
