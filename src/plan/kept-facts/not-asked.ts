import { isServerByName } from '../../facts/classify-process.ts'
import { type FactQuestion, questionFor } from '../../facts/question.ts'
import { ownMember } from '../../lib/own-member.ts'
import { managers } from '../../managers/index.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { AskedThen } from '../../model/facts-file.ts'
import type { Fleet, Host, Service } from '../../model/fleet.ts'
import type { HttpFact } from '../../model/http-fact.ts'
import { mapObserved, type Observed, type Unknown, unknown } from '../../model/observed.ts'
import { askedPort } from '../asked-port.ts'

/** The facts as far as they answer what is asked today: what the host was not asked about then is unknown, not absent. */
export function withoutUnasked(
  fleet: Fleet,
  host: Host,
  { asked, facts }: { readonly asked: AskedThen; readonly facts: HostFacts },
): HostFacts {
  const question = questionFor(host, fleet, managers, facts.salt)
  const places = [...question.definitions, ...question.keyFiles]
  const answered: HostFacts = {
    ...facts,
    definitions: filled(facts.definitions, question.definitions),
    keyFiles: filled(facts.keyFiles, question.keyFiles),
    leftovers: filled(facts.leftovers, places),
    models: filled(facts.models, question.models),
    executables: filled(facts.executables, question.executables),
    disks: filled(facts.disks, question.disks),
    power: question.power && !asked.power ? notAsked('the settings of its power management') : facts.power,
    residents: hiddenServers(question, asked) ?? facts.residents,
  }
  const narrowed = host.services.reduce((told, service) => withoutHalf(told, { fleet, host, service, asked }), answered)
  const http = host.services.map((service) => [service.name, httpOf(fleet, host, service, { asked, facts: narrowed })] as const)
  return { ...narrowed, http: Object.fromEntries(http) }
}

function filled<T>(seen: Readonly<Record<string, Observed<T>>>, names: readonly string[]): Readonly<Record<string, Observed<T>>> {
  const missing = names.filter((name) => !Object.hasOwn(seen, name)).map((name) => [name, notAsked(name)] as const)
  return missing.length === 0 ? seen : { ...seen, ...Object.fromEntries(missing) }
}

function notAsked(what: string): Unknown {
  return unknown('not-gathered', `when the facts were gathered, the host was not asked about ${what}`)
}

/** A server that goes by a name of its own is only seen by who looks for it. */
function hiddenServers({ programs }: FactQuestion, asked: AskedThen): Unknown | undefined {
  const hidden = programs.find(
    ({ kind, path }) => !isServerByName({ kind, path }) && !asked.programs.some((one) => one.kind === kind && one.path === path),
  )
  return hidden === undefined ? undefined : notAsked(`processes of ${hidden.path}`)
}

/** A service about which half was asked is one of which nothing can be decided. */
function withoutHalf(
  facts: HostFacts,
  {
    fleet,
    host,
    service,
    asked,
  }: { readonly fleet: Fleet; readonly host: Host; readonly service: Service; readonly asked: AskedThen },
): HostFacts {
  const { images, environment, definitions } = questionFor({ ...host, services: [service] }, fleet, managers, facts.salt)
  const missing = [
    ...images.filter((image) => !asked.images.includes(image)),
    ...environment.filter(({ name }) => !asked.environment.includes(name)).map(({ name }) => `the variable ${name}`),
  ]
  if (missing.length === 0) return facts
  const gap = notAsked(missing.join(', '))
  return { ...facts, definitions: { ...facts.definitions, ...Object.fromEntries(definitions.map((path) => [path, gap])) } }
}

/** The server's answers, where it would be asked at the same port today. */
function httpOf(
  fleet: Fleet,
  host: Host,
  service: Service,
  { asked, facts }: { readonly asked: AskedThen; readonly facts: HostFacts },
): Observed<HttpFact> {
  const then = ownMember(asked.servers, service.name)
  const seen = ownMember(facts.http, service.name)
  if (then?.kind !== service.kind || seen === undefined) return notAsked(`the server of ${service.name}`)
  if (then.port === service.port) return seen
  const port = askedPort(fleet, host, service, facts)
  if (port === undefined) return unknown('not-gathered', `something else listens on port ${service.port}`)
  const closed = facts.listeners.known && !facts.listeners.value.some((one) => one.port === port)
  if (closed) return unknown('not-gathered', `nothing listens on port ${port}`)
  if (!seen.known || (seen.value.port ?? then.port) !== port) return notAsked(`a server on port ${port}`)
  return mapObserved(seen, ({ port: _then, ...fact }) => (port === service.port ? fact : { ...fact, port }))
}
