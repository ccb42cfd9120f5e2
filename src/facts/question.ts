import { defined } from '../lib/defined.ts'
import { logRulePath } from '../managers/launchd/log-rule.ts'
import type { AccountQuestion, Manager, ManagerQuestion } from '../managers/manager.ts'
import type { Fleet, Host, Service } from '../model/fleet.ts'
import type { ManagerName, Platform, ServerKindName } from '../model/names.ts'
import { askedEnvironment } from '../servers/asked-environment.ts'
import { serverKinds } from '../servers/index.ts'
import { askedBelowHome } from './asked-path.ts'

/** What the probe is asked about one host; it reports everything else unasked. Paths may start with `@root/` or `@home/`. */
export interface FactQuestion {
  readonly host: string
  /** The platform in the inventory; absent: the probe carries the commands of every platform. */
  readonly platform?: Platform
  /** Absolute; absent: the default for the account. */
  readonly convergeDir?: string
  readonly org: string
  /** Letters and digits, new for every run. */
  readonly salt: string
  readonly definitions: readonly string[]
  readonly keyFiles: readonly string[]
  readonly models: readonly string[]
  /** Models that come from a hub. */
  readonly fetches: readonly FetchQuestion[]
  readonly executables: readonly string[]
  /** Model servers that the inventory names. Those among the executables are asked for version and flags; others only serve recognition. */
  readonly programs: readonly ServerProgram[]
  /** Accounts that are to run servers, and what each has to read and to execute. Absent: none. */
  readonly accounts?: readonly AccountQuestion[]
  readonly units: readonly string[]
  readonly containers: readonly string[]
  readonly images: readonly string[]
  /** Whether to ask for the version of the container engine, which no plan needs. */
  readonly engineVersion: boolean
  /** Paths whose free space is needed; a missing path stands for its nearest parent. */
  readonly disks: readonly string[]
  /** Whether the inventory has any power settings. */
  readonly power: boolean
  /** Names of environment variables to read from server processes (`SRV_MODEL`, `CTX`, …); keys among them are returned as salted digests. */
  readonly environment: readonly { readonly name: string; readonly secret: boolean }[]
  /** Endpoints to query for HTTP facts. */
  readonly http: readonly HttpTarget[]
}

export interface FetchQuestion {
  /** `model.path` */
  readonly model: string
  readonly kind: ServerKindName
}

export interface ServerProgram {
  readonly path: string
  readonly kind: ServerKindName
  readonly interpreter?: string
}

export interface HttpTarget {
  readonly service: string
  readonly port: number
  readonly kind: ServerKindName
}

/** What a question needs of each manager. */
type Askers = Readonly<Record<ManagerName, Pick<Manager, 'asks' | 'isContainer'>>>

/** Everything the services of a host need to know. `salt` is mixed into the digests of keys. */
export function questionFor(host: Host, fleet: Fleet, managers: Askers, salt: string): FactQuestion {
  const { services } = host
  const asked = services.map((service) => managers[service.manager].asks(service, fleet.settings.org))
  const collect = (pick: (question: ManagerQuestion) => readonly string[]) => unique(asked.flatMap(pick))
  const models = unique(services.map((service) => service.model.path))
  const onHost = services.filter(({ manager }) => !managers[manager].isContainer).flatMap(({ executable }) => executable ?? [])
  return {
    host: host.name,
    ...defined({ platform: host.platform, convergeDir: host.convergeDir }),
    org: fleet.settings.org,
    salt,
    definitions: unique([
      ...collect((question) => question.definitions),
      ...(host.rotateLogs === true ? [logRulePath(fleet.settings.org)] : []),
      ...(fleet.settings.endpointsFiles ?? []).flatMap((file) => (file.host === host.name ? [askedBelowHome(file.path)] : [])),
    ]),
    keyFiles: collect((question) => question.keyFiles),
    models,
    fetches: fetchesOf(services),
    executables: unique([...collect((question) => question.executables), ...onHost]),
    programs: programsOf(services),
    ...accountsOf(asked),
    units: collect((question) => question.units),
    containers: collect((question) => question.containers),
    images: collect((question) => question.images),
    engineVersion: false,
    disks: unique(['@root/', ...models]),
    power: host.sleep !== undefined,
    environment: environmentOf(services),
    http: services.map(({ name, port, kind }) => ({ service: name, port, kind })),
  }
}

/**
 * Only what shows which servers run, and of which service each is: no request reaches a server, whose log it would be in, no program is run for
 * its help text, and no model is read.
 */
export function aboutServers(question: FactQuestion): FactQuestion {
  return { ...question, models: [], fetches: [], executables: [], images: [], disks: [], http: [] }
}

/** Only what shows where each server is. */
export function aboutPlaces(question: FactQuestion): FactQuestion {
  return { ...aboutServers(question), environment: [] }
}

/** One question for each account. */
function accountsOf(asked: readonly ManagerQuestion[]): Pick<FactQuestion, 'accounts'> {
  const byName = Map.groupBy(
    asked.flatMap(({ account }) => account ?? []),
    ({ account }) => account,
  )
  if (byName.size === 0) return {}
  return {
    accounts: [...byName].map(([account, all]) => ({
      account,
      reads: unique(all.flatMap(({ reads }) => reads)),
      runs: unique(all.flatMap(({ runs }) => runs)),
    })),
  }
}

function programsOf(services: readonly Service[]): readonly ServerProgram[] {
  const programs = services.flatMap(({ kind, executable, interpreter }): ServerProgram[] => {
    if (executable === undefined) return []
    return [{ path: executable, kind, ...defined({ interpreter }) }]
  })
  return programs.filter(({ path }, index) => programs.findIndex((other) => other.path === path) === index)
}

function fetchesOf(services: readonly Service[]): readonly FetchQuestion[] {
  const asked = services.filter(({ model }) => model.source !== undefined)
  const models = new Map(asked.map(({ kind, model }) => [model.path, { model: model.path, kind }]))
  return [...models.values()]
}

function environmentOf(services: readonly Service[]): FactQuestion['environment'] {
  const variables = services.filter(({ kind }) => !serverKinds[kind].describedByFlags).flatMap(askedEnvironment)
  const names = unique(variables.map(({ name }) => name))
  return names.map((name) => ({
    name,
    secret: looksSecret(name) || variables.some((variable) => variable.name === name && variable.secret),
  }))
}

/** Names that people commonly give to keys; `extra_env` may contain one. */
function looksSecret(name: string): boolean {
  return /(key|token|secret|passwo?r?d)$/i.test(name)
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)]
}
