import { hostBug } from '../../errors/host-bug.ts'
import type { Pulse } from '../../facts/pulse.ts'
import { takePulse } from '../../gather/take-pulse.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { Host, Service } from '../../model/fleet.ts'
import type { Observed } from '../../model/observed.ts'
import type { Problem } from '../../model/plan.ts'
import { hostMemory, type LiveHost, notLive } from '../../report/live-status.ts'
import { unreachableStatus } from '../../report/status-of.ts'
import type { OpenView } from '../../transports/open-view.ts'
import type { Run } from '../run.ts'
import { untilNextTry } from './next-try.ts'
import { ServiceWatch } from './service-watch.ts'
import { createWatchedFacts, type WatchedFacts } from './watched-facts.ts'

interface Trouble {
  readonly problem: Problem
  /** In a row. */
  readonly failures: number
  /** Milliseconds. */
  readonly nextTry: number
}

/** One host, looked at again and again over one connection. */
export class HostWatch {
  readonly #run: Run
  readonly #host: Host
  readonly #watches: readonly ServiceWatch[]
  readonly #facts: WatchedFacts
  #isLooking = false
  #seenAt: string | null = null
  #memory: HostFacts['memory'] | undefined
  #trouble: Trouble | undefined

  /** @param inTurn limits how many hosts gather facts at a time */
  constructor(run: Run, host: Host, services: readonly Service[], inTurn: <T>(work: () => Promise<T>) => Promise<T>) {
    this.#run = run
    this.#host = host
    this.#watches = services.map((service) => new ServiceWatch(run, host, service))
    this.#facts = createWatchedFacts(run.context.clock, () => inTurn(() => run.observeOne(host, { asksServers: false })))
  }

  /** One look; at once if the last one is not over, or if it is too early for another try. Rejects only if the run was interrupted. */
  async look(): Promise<void> {
    const { clock, signal } = this.#run.context
    if (this.#isLooking || clock.now() < (this.#trouble?.nextTry ?? 0)) return
    this.#isLooking = true
    try {
      await this.#lookOnce()
    } catch (error) {
      await this.#fail(error)
    } finally {
      this.#isLooking = false
    }
    signal.throwIfAborted()
  }

  get state(): LiveHost {
    const trouble = this.#trouble
    return {
      host: this.#host.name,
      seenAt: this.#seenAt,
      problem: trouble?.problem ?? null,
      nextTryAt: trouble === undefined || this.#isLooking ? null : new Date(trouble.nextTry).toISOString(),
      ...hostMemory(this.#memory),
      services: this.#watches.map(({ latest, service }) => latest ?? notLive(unreachableStatus(service, undefined))),
    }
  }

  end(): void {
    for (const one of this.#watches) one.end()
  }

  async #lookOnce(): Promise<void> {
    const { context, connections } = this.#run
    const view = await connections.to(this.#host)
    const gather = async (): Promise<void> => {
      const facts = await this.#facts.gather()
      for (const one of this.#watches) one.learn(view, facts)
    }
    if (this.#facts.current === undefined) await gather()
    else if (this.#facts.isDue) gather().catch((error: unknown) => this.#fail(error))
    const pulse = await this.#takePulse(view)
    this.#memory = pulse?.known === true ? pulse.value.memory : undefined
    if (this.#watches.some(({ hasChanged }) => hasChanged)) this.#facts.hurry()
    this.#seenAt = context.now().toISOString()
    this.#trouble = undefined
  }

  /** Of the host, then of the servers that it still has: a key goes to no other process that listens there by now. */
  async #takePulse(view: OpenView): Promise<Observed<Pulse> | undefined> {
    const platform = this.#facts.current?.platform
    const { signal } = this.#run.context
    const pids = this.#watches.flatMap((one) => one.pids)
    const pulse = platform?.known === true ? await takePulse(view, { platform: platform.value.os, pids, signal }) : undefined
    await Promise.all(this.#watches.map((one) => one.ask(pulse)))
    for (const one of this.#watches) one.note(pulse)
    return pulse
  }

  async #fail(error: unknown): Promise<void> {
    const { context, connections } = this.#run
    if (context.signal.aborted) return
    const problem = hostBug(this.#host.name, error).toProblem()
    const failures = (this.#trouble?.failures ?? 0) + 1
    this.#trouble = { problem, failures, nextTry: context.clock.now() + untilNextTry(problem.code, failures) }
    this.end()
    this.#facts.forget()
    await connections.release(this.#host)
  }
}
