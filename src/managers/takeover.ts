import type { FieldChange } from '../model/action.ts'
import type { HostFacts, Resident } from '../model/facts.ts'
import type { ServerKindName } from '../model/names.ts'
import { mapObserved, type Observed } from '../model/observed.ts'
import { baseName } from '../servers/invocation.ts'
import { settingNamed } from '../servers/setting-named.ts'
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
  const { kind } = input.service
  const effective = (changes: readonly FieldChange[]) => withDefaults(oneBySetting(changes, kind), kind)
  return mapObserved(manager.compareRunning(input, facts), (changes) => {
    const process = processOf(state, facts)
    const running = programFirst(effective(changes).filter((change) => !isSameProgram(change, process)))
    const isProgramKept = !running.some(isProgramWord)
    const onDisk = definitionChanges(manager, state, text, kind)
    const ofFile = programFirst(
      effective(onDisk).filter((change) => !(isProgramKept && isProgramWord(change) && isSameName(change))),
    ).filter((change) => !running.some((one) => isSameChange(one, change)))
    const classified = [
      ...running.map((change) => [classOf(change, 'differs', manager, kind), change] as const),
      ...ofFile.map((change) => [classOf(change, 'stale', manager, kind), change] as const),
    ]
    const those = (name: keyof Takeover) => classified.filter(([one]) => one === name).map(([, change]) => change)
    return { differs: those('differs'), stale: those('stale'), lost: those('lost'), waits: those('waits') }
  })
}

/** A definition that cannot be read could contain anything. */
function definitionChanges(manager: Manager, state: ServiceState, text: string, kind: ServerKindName): readonly FieldChange[] {
  const { definitionContent: content } = state
  if (content === null || manager.fields(content) === undefined)
    return [{ field: 'definition', from: 'that cannot be parsed', to: null, effect: 'none' }]
  return manager.compareDefinitions(content, text, kind)
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

/** Drops settings that the server was not given where the program's own default is the desired value. */
function withDefaults(changes: readonly FieldChange[], kind: ServerKindName): readonly FieldChange[] {
  return changes.filter((change) => change.from !== null || settingNamed(kind, wordIn(change))?.ownDefault !== change.to)
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

function isSameName({ from, to }: FieldChange): boolean {
  return from !== null && to !== null && baseName(from) === baseName(to)
}

function classOf(change: FieldChange, effective: 'differs' | 'stale', manager: Manager, kind: ServerKindName): keyof Takeover {
  const name = nameIn(change)
  if (settingNamed(kind, wordIn(change))?.key !== undefined || replaced.has(change.field)) return 'waits'
  const concern = manager.concerns(name)
  if (concern === 'next-start') return 'waits'
  if (effective === 'stale' && change.to === null && name.startsWith('environment.')) return 'lost'
  if (concern === 'server' || effective === 'differs') return effective
  return change.from === null ? 'waits' : 'lost'
}

/** A file was replaced under the running server: the next start uses the new one in any case. */
const replaced: ReadonlySet<string> = new Set(['running.executable', 'running.model'])
