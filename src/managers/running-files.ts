import type { FieldChange } from '../model/action.ts'
import type { ExecutableFact, HostFacts, ModelPart, Resident } from '../model/facts.ts'
import type { FileStamp, HeldFile } from '../model/file-identity.ts'
import type { Service } from '../model/fleet.ts'
import { baseName, isInterpreter } from '../servers/invocation.ts'
import { restartOf } from './compare-fields.ts'
import { changedSince, isSameFile, leadsElsewhere, mappedElsewhere, placedSince, type Since, writtenSince } from './held-file.ts'

/**
 * Where the running server uses other files than those on disk: its executable, its model. What is unknown (another account's process, a
 * model that was read and closed) is no difference: only a file that is known to be another one counts.
 */
export function compareRunningFiles(
  service: Service,
  facts: HostFacts,
  process: Resident | undefined,
  inContainer = false,
): readonly FieldChange[] {
  if (process === undefined) return []
  const { startedAt, seenAt: now } = process
  const running = { process, family: [process, ...enginesOf(process, facts)], since: { startedAt, now } }
  return [
    ...(inContainer ? [] : changeOf(service, 'running.executable', executableChange(service, facts, running))),
    ...changeOf(service, 'running.model', modelChange(service, facts, running)),
  ]
}

interface Running {
  readonly process: Resident
  /** Including the engine that a Kind B front started. */
  readonly family: readonly Resident[]
  readonly since: Since
}

interface Replaced {
  readonly from: string
  readonly to: string | null
}

function changeOf(service: Service, field: string, replaced: Replaced | undefined): readonly FieldChange[] {
  return replaced === undefined ? [] : [{ field, ...replaced, effect: restartOf(service.kind) }]
}

const isGone = 'a file that was deleted'
const isOther = 'the former file at this path'
const isRewritten = 'the former content of the file'
const hasNewer = 'the former content of one of its files'

function executableChange(service: Service, facts: HostFacts, running: Running): Replaced | undefined {
  const { executable: path } = service
  const seen = path === undefined ? undefined : facts.executables[path]
  if (path === undefined || seen?.known !== true) return undefined
  if (seen.value === null) return { from: isGone, to: null }
  const to = seen.value.version === undefined ? path : `${path} (${seen.value.version})`
  const own = ownProgram(running.process)
  if (isReplaced(seen.value, own, running)) return { from: isOther, to }
  const build = own === undefined ? otherBuild(service, facts, seen.value) : undefined
  return build === undefined ? undefined : { from: build, to }
}

/** A wrapper starts a program of another path: then it counts whether either of them changed since. */
function isReplaced({ file }: ExecutableFact, own: HeldFile | undefined, { process, family, since }: Running): boolean {
  if (family.some((one) => ownProgram(one) !== undefined && leadsElsewhere(one.executable))) return true
  if (family.some(({ mapped = [] }) => mapped.some((one) => isLibrary(one) && mappedElsewhere(one, since)))) return true
  if (file === undefined || process.ownRoot === true) return false
  if (own === undefined) return placedSince(file, since)
  return !isSameFile(own, file) && changedSince(file, since)
}

/** A build may consist of several files, of which the program itself stays the same. */
function isLibrary({ path }: HeldFile): boolean {
  return /^lib(llama|ggml|mtmd)/.test(baseName(path))
}

/** An interpreter runs many programs, and system updates replace it. */
function ownProgram({ executable }: Resident): HeldFile | undefined {
  return executable === undefined || isInterpreter(baseName(executable.path)) ? undefined : executable
}

/** The server reports its build (`b6123-0abc123`), the file on disk its version (`6123 (0abc123)`). */
function otherBuild({ name }: Service, { http }: HostFacts, { version = '' }: ExecutableFact): string | undefined {
  const answer = Object.hasOwn(http, name) ? http[name] : undefined
  const build = answer?.known === true && answer.value.props.known ? answer.value.props.value.build : undefined
  const [, running] = /^b(\d+)-/.exec(build ?? '') ?? []
  const [, onDisk] = /^(?:[\d.]+ \(build )?(\d+)[ ,(]/.exec(version) ?? []
  return running === undefined || onDisk === undefined || running === onDisk ? undefined : `build ${running}`
}

function modelChange({ model }: Service, facts: HostFacts, running: Running): Replaced | undefined {
  const seen = facts.models[model.path]
  if (seen?.known !== true) return undefined
  const held = running.family.flatMap(({ mapped = [] }) => mapped).filter((one) => !isLibrary(one))
  const ofModel = held.filter(({ path }) => isPartOfModel(path, model.path, seen.value?.files ?? []))
  if (seen.value === null) return ofModel.some(({ now }) => now === null) ? { from: isGone, to: null } : undefined
  if (seen.value.type === 'directory') {
    const from = replacedFolder(seen.value.files, ofModel, running)
    return from === undefined ? undefined : { from, to: model.path }
  }
  for (const part of seen.value.files) {
    const maps = { held, ofModel, alone: seen.value.files.length === 1 }
    const from = part.file === undefined ? undefined : replacedPart(part.file, maps, running)
    if (from !== undefined) return { from, to: `${part.path} (${part.bytes} bytes)` }
  }
  return undefined
}

/** The folder has the time of its newest file; dot files, which a Kind B writes beside its model, do not count. */
function replacedFolder(parts: readonly ModelPart[], ofModel: readonly HeldFile[], { since }: Running): string | undefined {
  if (ofModel.some((one) => mappedElsewhere(one, since))) return isOther
  return parts.some(({ modified }) => modified !== undefined && writtenSince({ modified }, since)) ? hasNewer : undefined
}

interface Maps {
  readonly held: readonly HeldFile[]
  readonly ofModel: readonly HeldFile[]
  /** One of several parts may be unmapped once it is in the memory of a GPU. */
  readonly alone: boolean
}

function replacedPart(file: FileStamp, { held, ofModel, alone }: Maps, { since }: Running): string | undefined {
  if (held.some((one) => isSameFile(one, file))) return writtenSince(file, since) ? isRewritten : undefined
  if (ofModel.some((one) => mappedElsewhere(one, since))) return isOther
  if (ofModel.length === 0) return placedSince(file, since) ? isOther : undefined
  return (alone ? changedSince : writtenSince)(file, since) ? isOther : undefined
}

/** By path, name or type: in a container the model has another path, and a path may be a link to a differently named file. */
function isPartOfModel(path: string, model: string, parts: readonly ModelPart[]): boolean {
  const name = baseName(path)
  return path.startsWith(`${model}/`) || /\.(gguf|safetensors)$/.test(name) || parts.some((part) => baseName(part.path) === name)
}

/** The engine processes of a Kind B front. */
function enginesOf({ pid }: Resident, { residents }: HostFacts): readonly Resident[] {
  return residents.known ? residents.value.filter(({ ppid, role }) => role === 'engine' && ppid === pid) : []
}
