import type { HostFacts } from '../model/facts.ts'
import type { Host } from '../model/fleet.ts'
import type { HttpFact } from '../model/http-fact.ts'
import { type Observed, unknown } from '../model/observed.ts'
import { ReadOnlyScript } from '../transports/read-only-script.ts'
import type { HostView } from '../transports/transport.ts'
import { buildProbe } from './build-probe.ts'
import type { FactQuestion, HttpTarget } from './question.ts'
import { type ProbeFacts, readProbe } from './read-probe.ts'

/** Asks one server over HTTP on the host's loopback; never throws for what the server does or does not do. */
export type HttpProbe = (target: HttpTarget) => Promise<Observed<HttpFact>>

export interface GatherInput {
  readonly host: Pick<Host, 'name'>
  readonly question: FactQuestion
  readonly transport: HostView
  readonly http: HttpProbe
  readonly now: () => Date
  /** For looking at the host; HTTP has times of its own. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/**
 * Everything one look at a host tells: ONE script over its connection, then HTTP to the services whose port is open.
 *
 * @throws ConvergeError `FACTS.GARBLED`, `FACTS.SILENT`; and `CONNECT.*` from the transport
 */
export async function gatherFacts(input: GatherInput): Promise<HostFacts> {
  const { host, question, transport, signal } = input
  const probe = buildProbe(question)
  const script = { label: 'gather facts', text: [probe.script], args: probe.args, elevate: true, timeoutMs: input.timeoutMs }
  const output = await transport.look(ReadOnlyScript.vouchedFor(script), signal === undefined ? {} : { signal })
  const told = readProbe(output, probe, question)
  const http = await askServers(input, told)
  return { host: host.name, gatheredAt: input.now().toISOString(), salt: question.salt, ...told, http }
}

async function askServers({ question, http, signal }: GatherInput, told: ProbeFacts): Promise<HostFacts['http']> {
  const answers = await Promise.all(
    question.http.map(async (target): Promise<[string, Observed<HttpFact>]> => {
      if (!isOpen(target.port, told)) return [target.service, unknown('not-gathered', `nothing listens on port ${target.port}`)]
      if (signal?.aborted === true) return [target.service, unknown('not-gathered', 'the run was interrupted')]
      return [target.service, await http(target)]
    }),
  )
  return Object.fromEntries(answers)
}

/** Where the ports could not be seen, asking is the only way to know. */
function isOpen(port: number, { listeners }: ProbeFacts): boolean {
  return !listeners.known || listeners.value.some((listener) => listener.port === port)
}
