import type { Pulse, PulseOfProcess } from '../../facts/pulse.ts'
import type { HostFacts, Resident } from '../../model/facts.ts'
import type { Host, Service } from '../../model/fleet.ts'
import { mapObserved, type Observed, unknown } from '../../model/observed.ts'
import { type LiveService, liveService } from '../../report/live-status.ts'
import { statusOf } from '../../report/status-of.ts'
import { type LoadAt, tokenRate } from '../../servers/token-rate.ts'
import type { OpenView } from '../../transports/open-view.ts'
import type { LiveAnswer, LiveServer } from '../../verify/live-server.ts'
import type { Run } from '../run.ts'
import { type Learnt, learnService, liveServerFor, memoryLimit, serverId, upTime } from './learn-service.ts'

/** One service of a host that is watched. */
export class ServiceWatch {
  readonly service: Service
  readonly #run: Run
  readonly #host: Host
  #learnt: Learnt | undefined
  #server: LiveServer | undefined
  #answer: LiveAnswer | undefined
  #load: LoadAt | undefined
  #latest: LiveService | undefined
  #hasChanged = false

  constructor(run: Run, host: Host, service: Service) {
    this.service = service
    this.#run = run
    this.#host = host
  }

  /** Undefined: not looked at yet. */
  get latest(): LiveService | undefined {
    return this.#latest
  }

  /** Whether the facts no longer explain what the last look saw. */
  get hasChanged(): boolean {
    return this.#hasChanged
  }

  get pids(): readonly number[] {
    return (this.#learnt?.processes ?? []).map(({ pid }) => pid)
  }

  /** New facts: where it listens, and which processes are its own. */
  learn(view: OpenView, facts: HostFacts): void {
    const before = this.#learnt
    const learnt = learnService(this.#run, this.#host, this.service, facts)
    this.#learnt = learnt
    this.#answer = undefined
    if (this.#server !== undefined && before !== undefined && serverId(before) === serverId(learnt)) return
    this.end()
    this.#server = liveServerFor(this.#run, this.#host, this.service, view, learnt)
  }

  async ask(pulse: Observed<Pulse> | undefined): Promise<void> {
    const { main } = this.#learnt ?? {}
    const seen = seenIn(pulse)
    if (this.#learnt !== undefined && goneOf(this.#learnt, seen).some(({ pid }) => pid === main?.pid)) this.end()
    // Its key goes to no process that was not seen just now.
    const asked = main !== null && seen === undefined ? notSeen : await this.#server?.ask()
    const before = this.#answer
    this.#answer = asked ?? notAsked
    this.#hasChanged = before !== undefined && before.http.known !== this.#answer.http.known
  }

  /** @param pulse after `ask`; undefined: none was taken */
  note(pulse: Observed<Pulse> | undefined): void {
    const [learnt, answer] = [this.#learnt, this.#answer]
    if (learnt === undefined || answer === undefined) return
    const seen = seenIn(pulse)
    const gone = goneOf(learnt, seen)
    const isGone = gone.some(({ pid }) => pid === learnt.main?.pid)
    if (gone.length > 0 || (isDown(learnt) && answer.http.known)) this.#hasChanged = true
    const now = this.#run.context.clock.now()
    const load = answer.load === undefined ? undefined : { load: answer.load, at: now }
    const facts = { ...learnt.facts, http: { [this.service.name]: answeredOn(learnt, answer) } }
    this.#latest = liveService(statusOf(learnt.service, facts, isGone ? hasEnded : learnt.state), {
      load: answer.load,
      tokensPerS: tokenRate(this.#load, load),
      residentBytes: isGone ? null : residentBytes(learnt, seen),
      limitBytes: memoryLimit(this.service, learnt),
      upS: isGone ? null : upTime(learnt, now),
    })
    this.#load = load
    // Another process may listen on its port by now.
    if (isGone) this.end()
  }

  /** The connection or the server has ended. */
  end(): void {
    this.#server?.end()
    this.#server = undefined
    this.#load = undefined
  }
}

const notAsked: LiveAnswer = { http: unknown('not-gathered', 'it is not asked on its port') }
const notSeen: LiveAnswer = { http: unknown('not-gathered', 'it is not known whether its process still runs') }
const hasEnded = unknown('not-running', 'its process has ended; looking again')

function isDown({ state }: Learnt): boolean {
  return state.known && state.value.activity !== 'running' && state.value.activity !== 'paused'
}

/** With its port, if that is not the one in the inventory. */
function answeredOn({ port, service }: Learnt, { http }: LiveAnswer): LiveAnswer['http'] {
  return port === undefined || port === service.port ? http : mapObserved(http, (fact) => ({ ...fact, port }))
}

type Seen = ReadonlyMap<number, PulseOfProcess> | undefined

function seenIn(pulse: Observed<Pulse> | undefined): Seen {
  return pulse?.known === true && pulse.value.processes.known ? pulse.value.processes.value : undefined
}

function goneOf({ processes }: Learnt, seen: Seen): readonly Resident[] {
  return seen === undefined ? [] : processes.filter(({ pid, start }) => seen.get(pid)?.start !== start)
}

function residentBytes({ processes }: Learnt, seen: Seen): number | null {
  if (seen === undefined || processes.length === 0) return null
  return processes.reduce((sum, { pid }) => sum + (seen.get(pid)?.rssBytes ?? 0), 0)
}
