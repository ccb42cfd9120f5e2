import { defaultInterpreter, defaultManager, serviceDefaults } from '../inventory/defaults.ts'
import { defined } from '../lib/defined.ts'
import { managers } from '../managers/index.ts'
import { containerless, hasOwnAccount } from '../managers/traits.ts'
import type { FieldChange } from '../model/action.ts'
import type { HostFacts, Resident } from '../model/facts.ts'
import type { HttpFact } from '../model/http-fact.ts'
import type { ManagerName, Platform, ServerKindName } from '../model/names.ts'
import type { Observed } from '../model/observed.ts'
import type { SurveyedProcess } from '../model/survey.ts'
import { serverKinds } from '../servers/index.ts'
import { lastOption } from '../servers/option.ts'
import type { KeyOrigin, ReadBackProblem, StartedServer } from '../servers/read-back.ts'
import { asDefined } from './as-defined.ts'
import { listeningPort, type Supervised } from './find-servers.ts'
import { serviceName } from './service-name.ts'

/** A server of a known kind, as a host shows it. */
export interface SeenServer {
  readonly resident: Resident
  readonly kind: ServerKindName
  readonly surveyed: SurveyedProcess | undefined
  readonly supervisor: Supervised | undefined
  /** What it answers on its port; absent: it was not asked. */
  readonly http?: Observed<HttpFact>
}

/** A service of the inventory that describes a server. */
export interface ProposedService {
  readonly name: string
  /** Its name before `--name`. */
  readonly proposedName: string
  /** As in an inventory file. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly key?: KeyOrigin
  /** What the server has, whether or not its service needs the field. */
  readonly seen: { readonly port: number | null; readonly model: string | null; readonly alias: string | null }
  /** What the inventory cannot express. */
  readonly problems: readonly ReadBackProblem[]
}

export interface ProposalContext {
  readonly facts: HostFacts
  readonly platform: Platform
  /** Names of services in use on the host. */
  readonly taken: ReadonlySet<string>
  /** Chosen names by proposed ones. */
  readonly names: ReadonlyMap<string, string>
  /** Describe the definition instead of the server. Absent: the server. */
  readonly edited?: EditedDefinition
}

/** A definition that was edited after its server had started. */
export interface EditedDefinition {
  /** Where it differs, `from` its value. */
  readonly stale: readonly FieldChange[]
  /** The server was proposed as this. */
  readonly name: string
}

/** The inverse of `render`, from what runs: its arguments, its environment and its answers. */
export function proposeService(seen: SeenServer, { facts, platform, taken, names, edited }: ProposalContext): ProposedService {
  const { kind } = seen
  const { given, shown, key, problems } = describeStarted(seen, facts, edited?.stale ?? [])
  const { port, alias, ...rest } = shown
  const proposed = serviceName(text(alias), modelIn(rest), taken)
  const name = edited?.name ?? names.get(proposed) ?? proposed
  const fields = {
    kind,
    ...underManager(seen, platform, facts),
    ...withoutDefaults(given, kind, name),
    ...(key === undefined ? {} : { api_key: { env: keyVariable(facts.host, name) } }),
  }
  const has = { port: typeof port === 'number' ? port : null, model: modelIn(rest) ?? null, alias: text(alias) ?? null }
  return { name, proposedName: proposed, fields, ...defined({ key }), seen: has, problems }
}

/** What its supervisor started; `shown` is what the server has: a supervisor may start another program, which starts the server. */
function describeStarted(seen: SeenServer, facts: HostFacts, stale: readonly FieldChange[]) {
  const describeAs = (started: StartedServer) => describe(seen, facts, asDefined(started, stale, seen.kind))
  const asProcess = describeAs(startedOf(seen))
  const { started } = seen.supervisor ?? {}
  const described = started === undefined ? asProcess : describeAs(started)
  return { ...described, shown: modelIn(described.given) === undefined ? asProcess.given : described.given }
}

/** What runs it, or would run it, under which name and account. */
function underManager(seen: SeenServer, platform: Platform, facts: HostFacts): Readonly<Record<string, unknown>> {
  const { kind, supervisor } = seen
  const usual = defaultManager(platform, kind)
  const manager = supervisor?.manager ?? containerless(platform) ?? usual
  return { ...(manager === usual ? {} : { manager }), ...supervisor?.fields, ...accountOf(seen, manager, facts) }
}

interface Described extends Pick<ProposedService, 'key' | 'problems'> {
  readonly given: Readonly<Record<string, unknown>>
}

/** What the server was given, and what is known otherwise of settings that it was not given. */
function describe(seen: SeenServer, facts: HostFacts, started: StartedServer): Described {
  const { resident, kind } = seen
  const { fields, key, unstated, problems } = serverKinds[kind].readBack(started)
  const otherwise = { ...answersOf(seen), port: listeningPort(resident, facts), host: '127.0.0.1' }
  const given = { ...fields, ...fillIn(unstated, otherwise), ...programOf(seen, fields) }
  const open = unstated.filter((field) => !(field in given) && !isSwitch(kind, field))
  return {
    given,
    ...defined({ key }),
    problems: [
      ...problems.filter(({ field }) => field === undefined || given[field] === fields[field]),
      ...open.map((field) => ({ word: field, why: 'the server was not given it and does not report it', field })),
    ],
  }
}

function startedOf({ resident, surveyed }: SeenServer): StartedServer {
  return { argv: resident.argv, env: surveyed?.env ?? resident.env }
}

/** The next definition that converge writes sets a switch that the server was not given; its own default is unknown. */
function isSwitch(kind: ServerKindName, field: string): boolean {
  return serverKinds[kind].fields.settings.some((one) => one.field === field && one.switches !== undefined)
}

/** What the server itself reports. A context is reported for each slot, so it says nothing where there are several. */
function answersOf({ http, kind, resident }: SeenServer): Readonly<Record<string, unknown>> {
  const { contextField } = serverKinds[kind]
  const props = http?.known === true && http.value.props.known ? http.value.props.value : {}
  const models = http?.known === true && http.value.models.known ? http.value.models.value : []
  const slots = lastOption(resident.argv, ['--parallel', '-np'])
  return defined({
    alias: props.alias ?? models[0],
    ...(contextField === undefined || (slots !== undefined && slots !== '1') ? {} : { [contextField]: props.nCtx }),
  })
}

function fillIn(unstated: readonly string[], values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(unstated.filter((field) => values[field] !== undefined).map((field) => [field, values[field]]))
}

/** The absolute path of a program that was looked up in PATH. */
function programOf(
  { resident, kind, supervisor }: SeenServer,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  // What an image of the kind starts is in the image.
  if (supervisor !== undefined && managers[supervisor.manager].isContainer)
    return serverKinds[kind].defaults.image === undefined ? {} : { executable: undefined }
  const { executable, interpreter } = given
  const field = interpreter === undefined ? 'executable' : 'interpreter'
  const path = text(interpreter ?? executable)
  return path?.startsWith('/') === true ? {} : defined({ [field]: resident.executable?.path })
}

/** The account of a server that runs as another one than converge would choose. */
function accountOf(
  { resident, supervisor }: SeenServer,
  manager: ManagerName,
  { layout }: HostFacts,
): Readonly<Record<string, unknown>> {
  const isDaemon = supervisor?.fields['domain'] === 'system'
  if (!hasOwnAccount(manager, isDaemon ? { domain: 'system' } : {})) return {}
  return layout.known && layout.value.user === resident.user ? {} : { user: resident.user }
}

/** Leaves out what the inventory has anyway, and sorts the rest. A context is always written: its default differs between platforms. */
function withoutDefaults(
  fields: Readonly<Record<string, unknown>>,
  kind: ServerKindName,
  name: string,
): Readonly<Record<string, unknown>> {
  const defaults: Readonly<Record<string, unknown>> = {
    host: serviceDefaults.bind,
    alias: name,
    jinja: serviceDefaults.jinja,
    no_browser: serviceDefaults.noBrowser,
    env_prefix: serviceDefaults.envPrefix,
    interpreter: defaultInterpreter(kind),
  }
  const kept = Object.entries(fields).filter(([field, value]) => value !== undefined && defaults[field] !== value)
  return Object.fromEntries(kept.toSorted(([a], [b]) => rankOf(a, kind) - rankOf(b, kind)))
}

/** The program, its settings in their order, then the rest. */
function rankOf(field: string, kind: ServerKindName): number {
  if (field === 'executable' || field === 'interpreter') return -1
  const { settings } = serverKinds[kind].fields
  const at = settings.findIndex((one) => one.field === field)
  return at < 0 ? settings.length : at
}

/**
 * The variable for the key of a service. A host chooses the names of its servers: the variable must be one that no other program uses, or a host could
 * have another key sent to it.
 */
function keyVariable(host: string, name: string): string {
  return ['CONVERGE_KEY', host, name].map((word) => word.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')).join('_')
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function modelIn({ model }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof model === 'object' && model !== null && 'path' in model ? text(model.path) : undefined
}
