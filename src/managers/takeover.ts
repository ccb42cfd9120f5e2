import { defined } from '../lib/defined.ts'
import { ownMember } from '../lib/own-member.ts'
import type { FieldChange } from '../model/action.ts'
import type { HostFacts, Resident } from '../model/facts.ts'
import type { Service } from '../model/fleet.ts'
import type { HttpFact } from '../model/http-fact.ts'
import type { ServerKindName } from '../model/names.ts'
import { mapObserved, type Observed, unknown } from '../model/observed.ts'
import { serverKinds } from '../servers/index.ts'
import { baseName } from '../servers/invocation.ts'
import { canonicalSetting, ownDefault } from '../servers/same-setting.ts'
import { settingOfFlag, settingOfVariable } from '../servers/setting.ts'
import type { Fields } from './flag-fields.ts'
import type { Manager, RenderInput, ServiceState } from './manager.ts'
import { nameIn, oneBySetting, wordIn } from './one-by-setting.ts'

/** What would change if a definition that converge did not write were taken over as it is. */
export interface Takeover {
  /** Where the running server differs from the inventory. */
  readonly differs: readonly FieldChange[]
  /** Where its definition would start another server than the one that runs. */
  readonly stale: readonly FieldChange[]
  /** Settings of the definition that the inventory cannot express: converge would lose them. */
  readonly lost: readonly FieldChange[]
  /** Settings that converge has in its own way. They change with the next definition that it writes. */
  readonly waits: readonly FieldChange[]
}

/**
 * Compares a definition that converge did not write, and the server that runs from it, with the inventory. A setting counts under all its names:
 * `-c`, `--ctx-size` and `LLAMA_ARG_CTX_SIZE` are one, and a missing one has the program's own default.
 *
 * @param text the definition that converge would write, redacted
 */
export function compareTakeover(
  { manager, input, facts }: { readonly manager: Manager; readonly input: RenderInput; readonly facts: HostFacts },
  state: ServiceState,
  text: string,
): Observed<Takeover> {
  if (state.overlay === null) return unknown('unreadable', 'files beside the definition could not be read')
  const { kind } = input.service
  const reported = reportedOf(input, state, facts)
  const effective = (changes: readonly FieldChange[]) => withoutImplied(oneBySetting(changes, kind), kind, reported)
  return mapObserved(manager.compareRunning(input, facts), (changes) => {
    const process = processOf(state, facts)
    const written = definitionChanges(manager, state, text, input.service)
    const running = programFirst(effective(changes).filter((change) => !isSameProgram(change, process)))
    const isProgramKept = !running.some(isProgramWord)
    const onDisk = programFirst(effective(written).filter((change) => !(isProgramKept && isSameFile(change, process)))).filter(
      (change) => !running.some((one) => isSameChange(one, change)),
    )
    const about: Comparison = {
      manager,
      kind,
      desired: manager.fields(text, input.service) ?? {},
      hasKey: [...changes, ...written].some((change) => isKey(change, kind) && change.from !== null),
      isRelative: process !== undefined && process.argv.slice(1).some(isRelativePath),
    }
    const classified = [...classify(running, 'differs', about), ...classify(onDisk, 'stale', about)]
    const those = (name: keyof Takeover) => classified.filter(([one]) => one === name).map(([, change]) => change)
    return {
      differs: [...those('differs'), ...bootChange(input, state)],
      stale: [...those('stale'), ...loadedChange(manager, state)],
      lost: those('lost'),
      waits: those('waits'),
    }
  })
}

/** What all changes of a comparison are judged by. */
interface Comparison {
  readonly manager: Manager
  readonly kind: ServerKindName
  /** The definition that converge would write, field by field. */
  readonly desired: Fields
  /** Whether the server gets a key in any way that its arguments or its definition show. */
  readonly hasKey: boolean
  /** Whether an argument is a path that depends on the working directory. */
  readonly isRelative: boolean
}

function classify(changes: readonly FieldChange[], otherwise: 'differs' | 'stale', about: Comparison) {
  return changes.map((change) => [classOf(change, otherwise, changes, about), change] as const)
}

function bootChange({ service }: RenderInput, { startsAtBoot }: ServiceState): readonly FieldChange[] {
  if (service.state !== 'running' || startsAtBoot) return []
  return [{ field: 'starts_at_boot', from: 'no', to: 'yes', effect: 'none' }]
}

function loadedChange({ rereads }: Manager, { staleDefinition }: ServiceState): readonly FieldChange[] {
  if (!rereads || !staleDefinition) return []
  return [{ field: 'definition.loaded', from: 'not the one on disk', to: null, effect: 'reload' }]
}

function isRelativePath(word: string): boolean {
  return /^[^-/][^=]*\/|^[^-/][^=]*\.(gguf|json|jinja|txt|key|bin)$/i.test(word)
}

/**
 * What counts is the definition together with the files beside it. Those stay when converge writes the definition, so nothing in them is lost.
 */
function definitionChanges(manager: Manager, state: ServiceState, text: string, service: Service): readonly FieldChange[] {
  const { definitionContent: content, overlay } = state
  // It could contain anything.
  if (content === null || manager.fields(content, service) === undefined)
    return [{ field: 'definition', from: 'that cannot be parsed', to: null, effect: 'none' }]
  if (overlay === undefined) return manager.compareDefinitions(content, text, service)
  const own = manager.fields(content, service) ?? {}
  const isLost = ({ field }: FieldChange) => manager.concerns(nameIn({ field })) === undefined
  return manager
    .compareDefinitions(`${content}\n${overlay}`, text, service)
    .filter((change) => !isLost(change) || own[nameIn(change)] !== undefined)
}

/** The setting is missing under this name, and as desired under another one: a launch may pass it twice. */
function isSetOtherwise(change: FieldChange, all: readonly FieldChange[], { desired, kind }: Comparison): boolean {
  if (change.from !== null) return false
  const flag = canonicalSetting(kind, wordIn(change))
  return Object.entries(desired).some(
    ([field, value]) =>
      field !== nameIn(change) &&
      value === change.to &&
      canonicalSetting(kind, wordIn({ field })) === flag &&
      !all.some((one) => nameIn(one) === field),
  )
}

function isSameChange(a: FieldChange, b: FieldChange): boolean {
  return nameIn(a) === nameIn(b) && a.from === b.from && a.to === b.to
}

/** Whether the definition can be taken over as it is. */
export function isTakeoverExact({ differs, stale, lost }: Takeover): boolean {
  return differs.length + stale.length + lost.length === 0
}

function processOf({ process }: ServiceState, { residents }: HostFacts): Resident | undefined {
  if (process === null || !residents.known) return undefined
  return residents.value.find(({ pid, start }) => pid === process.pid && start === process.start)
}

/** Drops settings that the server was not given and has all the same: by the program's own default, or as it reports itself. */
function withoutImplied(
  changes: readonly FieldChange[],
  kind: ServerKindName,
  reported: Readonly<Record<string, string>>,
): readonly FieldChange[] {
  return changes.filter((change) => {
    if (change.from !== null || change.to === null) return true
    const flag = canonicalSetting(kind, wordIn(change))
    const { field = '' } = settingOfFlag(serverKinds[kind].fields, flag) ?? {}
    return ownDefault(kind, flag) !== change.to && ownMember(reported, field) !== change.to
  })
}

/** By field of the inventory: what the host and the server report of settings that the server may not have been given. */
function reportedOf({ service }: RenderInput, { process }: ServiceState, facts: HostFacts): Readonly<Record<string, string>> {
  const { contextField } = serverKinds[service.kind]
  const { aliases, context, model } = answersOf(ownMember(facts.http, service.name))
  const listens =
    facts.listeners.known &&
    facts.listeners.value.some(({ pid, port }) => pid.known && pid.value === process?.pid && port === service.port)
  return {
    ...(listens ? { port: String(service.port) } : {}),
    ...(aliases.includes(service.alias) ? { alias: service.alias } : {}),
    ...defined({ model }),
    ...(contextField === undefined || context === undefined ? {} : { [contextField]: String(context) }),
  }
}

interface Answers {
  readonly aliases: readonly string[]
  readonly context?: number
  readonly model?: string
}

function answersOf(http: Observed<HttpFact> | undefined): Answers {
  if (http?.known !== true) return { aliases: [] }
  const { models, props } = http.value
  const { alias, nCtx: context, modelPath: model } = props.known ? props.value : {}
  return {
    aliases: [...(models.known ? models.value : []), ...(alias === undefined ? [] : [alias])],
    ...defined({ context, model }),
  }
}

/** Words of the command before its first flag. */
function isProgramWord(change: FieldChange): boolean {
  return /^command\.\d+$/.test(nameIn(change))
}

/** The flags of another program, such as a shell, are not those of the server. */
function programFirst(changes: readonly FieldChange[]): readonly FieldChange[] {
  return changes.some(isProgramWord)
    ? changes.filter((change) => isProgramWord(change) || !nameIn(change).startsWith('command.'))
    : changes
}

/** The kernel knows the program that a shell or a supervisor looked up. */
function isSameProgram(change: FieldChange, process: Resident | undefined): boolean {
  return isProgramWord(change) && change.to !== null && process?.executable?.path === change.to
}

/** The definition names the program that runs, or one that was looked up in PATH. */
function isSameFile(change: FieldChange, process: Resident | undefined): boolean {
  const { from, to } = change
  if (!isProgramWord(change) || from === null || to === null) return false
  return from.includes('/') ? from === process?.executable?.path : from === baseName(to)
}

function classOf(
  change: FieldChange,
  otherwise: 'differs' | 'stale',
  all: readonly FieldChange[],
  about: Comparison,
): keyof Takeover {
  const { manager, kind, hasKey, isRelative } = about
  const name = nameIn(change)
  if (isKey(change, kind)) return hasKey ? 'waits' : otherwise
  if (isOpenSwitch(change, kind) || replaced.has(change.field) || isSetOtherwise(change, all, about)) return 'waits'
  const concern = manager.concerns(name)
  if (concern === 'next-start') return isRelative && change.from !== null && name === 'WorkingDirectory' ? 'lost' : 'waits'
  return otherClass(change, otherwise, concern)
}

function otherClass(change: FieldChange, otherwise: 'differs' | 'stale', concern: 'server' | undefined): keyof Takeover {
  if (otherwise === 'stale' && change.to === null && nameIn(change).startsWith('environment.')) return 'lost'
  if (concern === 'server' || otherwise === 'differs') return otherwise
  return change.from === null ? 'waits' : 'lost'
}

/** If the server has a key, its value is compared; how the server gets it changes with the next definition. */
function isKey(change: FieldChange, kind: ServerKindName): boolean {
  const { fields } = serverKinds[kind]
  const word = wordIn(change)
  return (settingOfFlag(fields, word) ?? settingOfVariable(fields, word))?.key !== undefined
}

/** A switch that the server was not given, and whose default is not the same in all builds. */
function isOpenSwitch(change: FieldChange, kind: ServerKindName): boolean {
  return change.from === null && settingOfFlag(serverKinds[kind].fields, wordIn(change))?.switches !== undefined
}

/** A file was replaced under the running server: the next start uses the new one in any case. */
const replaced: ReadonlySet<string> = new Set(['running.executable', 'running.model'])
