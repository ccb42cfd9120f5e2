import { buildProbe } from '../facts/build-probe.ts'
import type { FactQuestion, HttpTarget } from '../facts/question.ts'
import { readProbe } from '../facts/read-probe.ts'
import { soundFacts } from '../facts/sound-facts.ts'
import { defined } from '../lib/defined.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Host } from '../model/fleet.ts'
import type { HttpFact } from '../model/http-fact.ts'
import { mapObserved, type Observed, unknown } from '../model/observed.ts'
import { ReadOnlyScript } from '../transports/read-only-script.ts'
import type { HostView } from '../transports/transport.ts'

/** Asks one server over HTTP on the host's loopback; never throws because of the server's answer. */
export type HttpProbe = (target: HttpTarget, seen: HostFacts) => Promise<Observed<HttpFact>>

export interface GatherInput {
  readonly host: Pick<Host, 'name'>
  readonly question: FactQuestion
  readonly transport: HostView
  readonly http: HttpProbe
  /** The port of a service according to the new facts; undefined: do not ask. Absent: the port in the inventory. */
  readonly portOf?: (service: string, seen: HostFacts) => number | undefined
  readonly now: () => Date
  /** For the probe's shell to start, and for the probe; HTTP has its own timeouts. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/**
 * Gathers all facts of a host: ONE script over its connection, then HTTP to the services whose port is open.
 *
 * @throws ConvergeError `FACTS.GARBLED`, `FACTS.SILENT`; and `CONNECT.*` from the transport
 */
export async function gatherFacts(input: GatherInput): Promise<HostFacts> {
  const { host, question, transport, signal } = input
  const probe = buildProbe(question)
  const { timeoutMs } = input
  const limits = { timeoutMs, startMs: timeoutMs }
  const script = { label: 'gather facts', text: probe.pieces, args: probe.args, elevate: true, ...limits }
  const output = await transport.look(ReadOnlyScript.vouchedFor(script), defined({ signal }))
  const parsed = readProbe(output, probe, question)
  // Loaded lazily: not needed without hosts.
  const { validateHostFacts } = await import('../generated/facts-validator.js')
  const stamps = { host: host.name, gatheredAt: input.now().toISOString(), salt: question.salt }
  const seen = withoutOutput(soundFacts({ ...stamps, ...parsed, http: {} }, validateHostFacts))
  const http = await askServers(input, seen)
  // Error texts of servers are untrusted too.
  const isAsked = Object.values(http).some((fact) => fact.known || fact.because !== 'not-gathered')
  return isAsked ? soundFacts({ ...seen, http }, validateHostFacts) : { ...seen, http }
}

/** Copies the facts: substrings would keep the whole output in memory until the end of the run. */
function withoutOutput(facts: HostFacts): HostFacts {
  return structuredClone(facts)
}

async function askServers({ question, http, signal, portOf }: GatherInput, seen: HostFacts): Promise<HostFacts['http']> {
  const answers = await Promise.all(
    question.http.map(async (target): Promise<[string, Observed<HttpFact>]> => {
      const { service } = target
      const port = portOf === undefined ? target.port : portOf(service, seen)
      if (port === undefined) return [service, unknown('not-gathered', `something else listens on port ${target.port}`)]
      if (!isOpen(port, seen)) return [service, unknown('not-gathered', `nothing listens on port ${port}`)]
      if (signal?.aborted === true) return [service, unknown('not-gathered', 'the run was interrupted')]
      const answer = await http({ ...target, port }, seen)
      return [service, port === target.port ? answer : mapObserved(answer, (fact) => ({ ...fact, port }))]
    }),
  )
  return Object.fromEntries(answers)
}

/** If the ports are unknown, asking is the only way to find out. */
function isOpen(port: number, { listeners }: HostFacts): boolean {
  return !listeners.known || listeners.value.some((listener) => listener.port === port)
}
