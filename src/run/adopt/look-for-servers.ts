import { listeningPort, supervisorOf, unmanagedServers } from '../../adopt/find-servers.ts'
import type { SeenServer } from '../../adopt/propose-service.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { surveyHost } from '../../gather/survey-host.ts'
import { defined } from '../../lib/defined.ts'
import { converge } from '../../lib/next-command.ts'
import type { HostFacts, Resident } from '../../model/facts.ts'
import type { Host } from '../../model/fleet.ts'
import type { Unknown } from '../../model/observed.ts'
import { isServerKind } from '../../servers/traits.ts'
import { openCase } from '../../simulate/service-case.ts'
import type { HostView } from '../../transports/transport.ts'
import { httpFacts } from '../../verify/http-facts.ts'
import type { Run } from '../run.ts'

/** A server that no service of the inventory explains. */
export interface Sighting {
  readonly resident: Resident
  /** Absent: a server of a kind that converge does not know. */
  readonly seen?: SeenServer
}

/** For all HTTP requests to one server. */
const httpTimeoutMs = 5000

/**
 * Looks for servers on a host that the inventory does not have, where they come from, and what they answer. Writes nothing.
 *
 * @throws ConvergeError `ADOPT.UNCLEAR` if what runs there may belong to a service whose state is unknown, or its supervisors are unknown
 */
export async function lookForServers(run: Run, host: Host, facts: HostFacts): Promise<readonly Sighting[]> {
  const cases = host.services.map((service) => openCase(run.open.fleet, host, service, { facts, keys: run.keys }))
  const residents = unmanagedServers(facts, cases)
  if (residents.length === 0) return []
  const unclear = cases.filter(({ state }) => !state.known).map(({ service }) => service.name)
  if (unclear.length > 0) throw ambiguous(host, unclear)
  const view = await run.connections.to(host)
  const survey = await surveyHost(view, residents, { signal: run.context.signal, timeoutMs: run.flags.timeout * 1000 })
  if (!survey.known) throw unsupervised(host, survey)
  const processes = survey.value
  return Promise.all(
    residents.map(async (resident) => {
      const surveyed = processes.find(({ pid }) => pid === resident.pid)
      return isServerKind(resident.role)
        ? { resident, seen: await look(run, view, { resident, kind: resident.role, surveyed, facts }) }
        : { resident }
    }),
  )
}

interface LookedAt extends Omit<SeenServer, 'supervisor' | 'http'> {
  readonly facts: HostFacts
}

async function look(run: Run, view: HostView, { resident, kind, surveyed, facts }: LookedAt): Promise<SeenServer> {
  const port = listeningPort(resident, facts)
  const question = { service: resident.program, kind, keyless: true, timeoutMs: httpTimeoutMs, signal: run.context.signal }
  const http = port === undefined ? undefined : await httpFacts(view, { ...question, port })
  return { resident, kind, surveyed, supervisor: supervisorOf(resident, surveyed, facts), ...defined({ http }) }
}

function unsupervised({ name }: Host, { because, detail }: Unknown): ConvergeError {
  return new ConvergeError('ADOPT.UNCLEAR', {
    summary: 'What runs the servers of the host is unknown.',
    why: `${name} did not report their supervisors: ${detail ?? because}.`,
    next: [converge(['adopt', name])],
  })
}

function ambiguous({ name }: Host, services: readonly string[]): ConvergeError {
  return new ConvergeError('ADOPT.UNCLEAR', {
    summary: 'What runs on the host may belong to a service of the inventory.',
    why: `The state of ${services.join(', ')} on ${name} is unknown.`,
    next: [converge(['plan', '--limit', name])],
  })
}
