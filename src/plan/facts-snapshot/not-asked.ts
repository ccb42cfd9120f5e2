import { askedPathWords } from '../../facts/asked-path.ts'
import { type FactQuestion, questionFor } from '../../facts/question.ts'
import { ownMember } from '../../lib/own-member.ts'
import { managers } from '../../managers/index.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { AskedThen } from '../../model/facts-file.ts'
import type { Fleet, Host, Service } from '../../model/fleet.ts'
import type { HttpFact } from '../../model/http-fact.ts'
import type { NextStep } from '../../model/next-step.ts'
import { mapObserved, type NotAskedThen, type Observed, unknown } from '../../model/observed.ts'
import { serverKinds } from '../../servers/index.ts'
import { askedPort } from '../../simulate/asked-port.ts'

/** The facts of a host in a snapshot, and how to gather the rest. */
export interface AnsweredThen {
  readonly asked: AskedThen
  readonly facts: HostFacts
  /** How to gather the facts again, for people. */
  readonly remedy: NextStep
}

/** The facts as answers to today's question: what the host was not asked then is unknown, not absent. */
export function withoutUnasked(fleet: Fleet, host: Host, { asked, facts, remedy }: AnsweredThen): HostFacts {
  const notAsked = (what: string): NotAskedThen => ({
    known: false,
    because: 'not-gathered',
    detail: `the facts snapshot does not cover ${what}`,
    remedy,
  })
  const filled = <T>(seen: Readonly<Record<string, Observed<T>>>, paths: readonly string[]) => {
    const missing = paths.filter((path) => !Object.hasOwn(seen, path))
    const gaps = missing.map((path) => [path, notAsked(askedPathWords(path, facts.layout))] as const)
    return gaps.length === 0 ? seen : { ...seen, ...Object.fromEntries(gaps) }
  }
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
    ...(question.fetches.length === 0
      ? {}
      : {
          fetches: filled(
            facts.fetches ?? {},
            question.fetches.map(({ model }) => model),
          ),
        }),
    power: question.power && !asked.power ? notAsked('the settings of its power management') : facts.power,
    residents: hiddenServers(question, asked, notAsked) ?? facts.residents,
  }
  const narrowed = host.services.reduce((rest, service) => withoutHalf(rest, { fleet, host, service, asked, notAsked }), answered)
  const http = host.services.map((service) => {
    return [service.name, httpOf(fleet, host, service, { asked, facts: narrowed, notAsked })] as const
  })
  return { ...narrowed, http: Object.fromEntries(http) }
}

type NotAsked = (what: string) => NotAskedThen

/** A server with a program name of its own is found only if the probe looks for that name. */
function hiddenServers({ programs }: FactQuestion, asked: AskedThen, notAsked: NotAsked): NotAskedThen | undefined {
  const hidden = programs.find(
    ({ kind, path }) =>
      !serverKinds[kind].recognition.isKnownByName(path) && !asked.programs.some((one) => one.kind === kind && one.path === path),
  )
  return hidden === undefined ? undefined : notAsked(`processes of ${hidden.path}`)
}

/** If only half of a service was asked for, nothing about it can be decided. */
function withoutHalf(
  facts: HostFacts,
  {
    fleet,
    host,
    service,
    asked,
    notAsked,
  }: {
    readonly fleet: Fleet
    readonly host: Host
    readonly service: Service
    readonly asked: AskedThen
    readonly notAsked: NotAsked
  },
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

/** The server's answers, if it would be asked on the same port today. */
function httpOf(
  fleet: Fleet,
  host: Host,
  service: Service,
  { asked, facts, notAsked }: { readonly asked: AskedThen; readonly facts: HostFacts; readonly notAsked: NotAsked },
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
