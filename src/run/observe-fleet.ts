import pLimit from 'p-limit'
import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { hostBug } from '../errors/host-bug.ts'
import { aboutPlaces, aboutServers, type FactQuestion, questionFor } from '../facts/question.ts'
import { gatherFacts } from '../gather/gather.ts'
import { managers } from '../managers/index.ts'
import type { Emit } from '../model/event.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Fleet, Host } from '../model/fleet.ts'
import { known } from '../model/observed.ts'
import type { Problem } from '../model/plan.ts'
import { askedPort } from '../simulate/asked-port.ts'
import { isHolderProvedDead } from '../state/dead-run.ts'
import { httpFacts } from '../verify/http-facts.ts'
import type { Connections } from './connections.ts'
import type { Keys } from './keys.ts'
import type { Observation } from './planning-run.ts'
import { startedWith } from './started-with.ts'

export interface ObserveSettings {
  readonly fleet: Fleet
  readonly keys: Keys
  readonly connections: Connections
  readonly timeoutMs: number
  readonly emit: Emit
  /**
   * `servers`: only which servers run, `places`: only where they are; both without a request to any. Absent: everything that a plan needs;
   * `all`: also what is only shown.
   */
  readonly about?: 'servers' | 'places' | 'all'
  /** False: ask no server over HTTP. */
  readonly asksServers?: boolean
}

export interface ObserveInput extends ObserveSettings {
  readonly hosts: readonly Host[]
  readonly forks: number
  /** Keep connections open. */
  readonly keep: boolean
  /** For the display: first look or second plan. */
  readonly phase: 'gather' | 'second-plan'
}

/** For all HTTP requests to one server; a server that is loading does not answer at all. */
const httpTimeoutMs = 5000

/** How many times fewer hosts are asked at a time when the slow ones are asked again. */
const fewer = 4

/**
 * Gathers the facts of hosts, a few at a time; results are in inventory order. Hosts that were too slow to start a shell are asked once more
 * after the others, fewer at a time: where hosts share a machine or a link, the run itself may be what slows them down.
 */
export async function observeFleet(context: Context, input: ObserveInput): Promise<Observation> {
  const selected = new Set(input.hosts)
  const hosts = input.fleet.hosts.filter((host) => selected.has(host))
  input.emit({ type: 'phase', phase: input.phase, hosts: input.hosts.map(({ name }) => name) })
  const isOnly = hosts.length === 1
  const first = await observeSome(context, input, { hosts, forks: input.forks, isLast: isOnly })
  const slow = isOnly ? [] : hosts.filter(({ name }) => isSlow(first.get(name)))
  const again = { hosts: slow, forks: Math.ceil(input.forks / fewer), isLast: true }
  return new Map([...first, ...(await observeSome(context, input, again))])
}

interface Round {
  readonly hosts: readonly Host[]
  readonly forks: number
  /** Slow hosts are not asked again. */
  readonly isLast: boolean
}

async function observeSome(context: Context, input: ObserveInput, { hosts, forks, isLast }: Round): Promise<Observation> {
  const limit = pLimit(forks)
  return new Map(await Promise.all(hosts.map((host) => limit(() => observeHost(context, input, { host, isLast })))))
}

function isSlow(seen: HostFacts | Problem | undefined): boolean {
  return seen !== undefined && 'code' in seen && seen.code === 'CONNECT.SLOW'
}

async function observeHost(
  context: Context,
  input: ObserveInput,
  { host, isLast }: Pick<Round, 'isLast'> & { readonly host: Host },
): Promise<[string, HostFacts | Problem]> {
  input.emit({ type: 'host-started', host: host.name })
  try {
    const facts = await observeHostFacts(context, input, host)
    input.emit({ type: 'host-finished', host: host.name, ok: true, note: 'facts gathered' })
    return [host.name, facts]
  } catch (error) {
    if (context.signal.aborted && !(error instanceof ConvergeError)) throw error
    const problem = hostBug(host.name, error).toProblem()
    if (isSlow(problem) && !isLast)
      input.emit({ type: 'host-note', host: host.name, note: 'too slow; asked again after the others' })
    else input.emit({ type: 'host-finished', host: host.name, ok: false, note: problem.summary, problem })
    return [host.name, problem]
  } finally {
    if (!input.keep) await input.connections.release(host)
  }
}

function questionOf(whole: FactQuestion, { about, asksServers }: Pick<ObserveSettings, 'about' | 'asksServers'>): FactQuestion {
  if (about === 'servers') return aboutServers(whole)
  if (about === 'places') return aboutPlaces(whole)
  if (about === 'all') return { ...whole, engineVersion: true }
  return asksServers === false ? { ...whole, http: [] } : whole
}

/** One host: one command and a few HTTP requests over the same connection. Throws `ConvergeError`. */
export async function observeHostFacts(context: Context, input: ObserveSettings, host: Host): Promise<HostFacts> {
  const transport = await input.connections.to(host)
  const question = questionFor(host, input.fleet, managers, context.random(16))
  const facts = await gatherFacts({
    host,
    question: questionOf(question, input),
    transport,
    now: context.now,
    signal: context.signal,
    timeoutMs: input.timeoutMs,
    portOf: (name, seen) => {
      const service = host.services.find((one) => one.name === name)
      return service === undefined ? undefined : askedPort(input.fleet, host, service, seen)
    },
    http: (target, seen) => {
      const key = input.keys.get(`${host.name}/${target.service}`)
      return httpFacts(transport, {
        ...target,
        timeoutMs: httpTimeoutMs,
        signal: context.signal,
        keyless: host.services.find(({ name }) => name === target.service)?.key === undefined,
        otherKeys: () => startedWith(transport, { host, service: target.service, seen }, context.signal),
        ...(key?.known === true ? { key: key.value } : {}),
      })
    },
  })
  return { ...facts, lock: await withFate(context, facts.lock) }
}

/** A dead run of this machine leaves a lock that looks alive for a while. */
async function withFate(context: Context, lock: HostFacts['lock']): Promise<HostFacts['lock']> {
  if (!lock.known || lock.value === null || !(await isHolderProvedDead(context, lock.value))) return lock
  return known({ ...lock.value, died: true })
}
