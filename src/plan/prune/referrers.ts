import { joinPaths, nameOfPath } from '../../lib/posix-path.ts'
import { ownershipLabelKey } from '../../managers/compose/project.ts'
import { previousSuffix } from '../../model/beside.ts'
import type { Container, HostFacts, Resident } from '../../model/facts.ts'
import type { Host, Service } from '../../model/fleet.ts'
import type { Entry, RecordedJob, References } from '../../model/prune.ts'
import { type FetchedModel, type ModelNodes, mentions, nodesOf } from './names.ts'
import { mountedPath, pathsIn } from './question.ts'

/** A service of another host that may load its model from this one, over the network. */
export interface RemoteService {
  readonly host: string
  readonly service: string
  /** `model.path` there. */
  readonly path: string
}

export interface ReferrerCase {
  readonly host: Host
  readonly facts: HostFacts
  readonly references: References
  readonly elsewhere: readonly RemoteService[]
}

/** What refers to a model or any of its files, in words: the first referrer found. Undefined: none is visible. */
export function referrerOf(one: ReferrerCase, job: RecordedJob, model: FetchedModel): string | undefined {
  const nodes = nodesOf(model, job, one.references)
  return (
    runningServer(one, job, model, nodes) ??
    ownService(one, model, nodes) ??
    container(one, model, nodes) ??
    definition(one, model, nodes) ??
    process(one, model, nodes) ??
    openFile(one, job) ??
    otherHost(one, model) ??
    othersFolder(model)
  )
}

function runningServer({ facts, references }: ReferrerCase, { entries }: RecordedJob, model: FetchedModel, nodes: ModelNodes) {
  const residents = facts.residents.known ? facts.residents.value : []
  const named = new Set(
    references.mentions.flatMap((one) => ('pid' in one.by && isOfModel(one, model, nodes) ? [one.by.pid] : [])),
  )
  const server = residents.find(
    (one) =>
      isInside(one, entries) ||
      loads(one, references, nodes) ||
      (named.has(one.pid) && !leadsElsewhere(one, references, model, nodes)),
  )
  if (server === undefined) return undefined
  const all = facts.containers.known ? facts.containers.value.containers : []
  const own = server.container === undefined ? undefined : all.find(({ id }) => id.startsWith(server.container ?? ' '))
  const name = own?.name ?? server.unit?.replace(/\.service$/, '') ?? server.program
  return `server ${name} uses it (pid ${server.pid})`
}

function isInside({ mapped = [] }: Resident, entries: readonly Entry[]): boolean {
  return mapped.some(({ inode, path }) => entries.some((one) => one.inode === inode && nameOfPath(one.path) === nameOfPath(path)))
}

/** Whether its arguments name the model, or a folder that contains the model. */
function loads({ argv, role }: Resident, { nodes: asked }: References, { own, above }: ModelNodes): boolean {
  return argv.some((word, index) =>
    pathsIn(word).some((path) => {
      const node = asked[path]
      if (node === undefined) return false
      const isOption = /model/i.test(word.startsWith('/') ? (argv[index - 1] ?? '') : word)
      return own.has(node) || (above.has(node) && (role === 'runner' || isOption))
    }),
  )
}

/** Whether all its paths of that name are other files of this host. */
function leadsElsewhere(resident: Resident, { nodes: asked }: References, { names }: FetchedModel, { own }: ModelNodes): boolean {
  if (resident.container !== undefined || resident.ownRoot === true) return false
  const named = resident.argv.filter((word) => mentions(word, names)).flatMap(pathsIn)
  return named.length > 0 && named.every((path) => asked[path] !== undefined && !own.has(asked[path]))
}

function ownService({ host, references }: ReferrerCase, model: FetchedModel, { own }: ModelNodes): string | undefined {
  const service = host.services.find((one) => {
    const node = references.nodes[one.model.path]
    return one.state !== 'absent' && (wants(one, model) || (node !== undefined && own.has(node)))
  })
  return service === undefined ? undefined : `${service.name} refers to it in the inventory`
}

function wants(service: Service, { path, files, names, isFolder }: FetchedModel): boolean {
  const own = service.model.path.replace(/\/+$/, '')
  const below = `${own}/`
  if (own === path || files.includes(own) || files.some((file) => file.startsWith(below))) return true
  if (isFolder && own.startsWith(`${path}/`)) return true
  const { model: _model, source: _source, ...rest } = service
  return mentions(JSON.stringify(rest), names)
}

function container({ facts, references }: ReferrerCase, model: FetchedModel, nodes: ModelNodes): string | undefined {
  const all = facts.containers.known ? facts.containers.value.containers : []
  const user = all.find((one) => mayLoad(one, references, model, nodes))
  return user === undefined ? undefined : `container ${user.name} (${user.state}) has it mounted and may load it`
}

/** A container that states its model and names another one does not load this one from a mounted folder. */
function mayLoad(
  { binds, entrypoint, command, labels }: Container,
  { nodes: asked }: References,
  model: FetchedModel,
  nodes: ModelNodes,
) {
  const words = [...entrypoint, ...command]
  const isNamed = words.some((word) => mentions(word, model.names))
  const saysModel =
    labels[ownershipLabelKey] !== undefined || words.some((word) => /^(?:-m|--model|--model-path)(?:=|$)/.test(word))
  return binds.map(mountedPath).some((path) => {
    const node = asked[path]
    if (path === '/') return isNamed
    const isItself = path === model.path || model.files.includes(path) || (node !== undefined && nodes.own.has(node))
    const isAbove = model.path.startsWith(joinPaths(path, '')) || (node !== undefined && nodes.above.has(node))
    return isItself || (isAbove && (isNamed || !saysModel))
  })
}

function definition({ references }: ReferrerCase, model: FetchedModel, nodes: ModelNodes): string | undefined {
  const mention = references.mentions.find((one) => 'definition' in one.by && isOfModel(one, model, nodes))
  if (mention !== undefined && 'definition' in mention.by) return definitionWords(mention.by.definition)
  const lead = references.leads.find(({ node, isOption }) => nodes.own.has(node) || (isOption && nodes.above.has(node)))
  return lead === undefined ? undefined : definitionWords(lead.definition)
}

/** In a compose file, a path is one of the container, not of the host. */
function isOfModel({ name, node, by }: References['mentions'][number], { names }: FetchedModel, { own }: ModelNodes): boolean {
  if (!names.includes(name)) return false
  return node === undefined || own.has(node) || 'pid' in by || /\.ya?ml$/.test(by.definition.replace(previousSuffix, ''))
}

function definitionWords(path: string): string {
  const applied = /\/applied\/([^/]+)\.json$/.exec(path)?.[1]
  if (applied !== undefined) return `the last apply of ${applied} refers to it`
  const isPrevious = path.includes(previousSuffix) || path.includes('/deadman/')
  return `the ${isPrevious ? 'previous ' : ''}definition ${path.replace(previousSuffix, '')} refers to it`
}

function process({ references, facts }: ReferrerCase, model: FetchedModel, nodes: ModelNodes): string | undefined {
  const residents = facts.residents.known ? facts.residents.value : []
  const user = references.mentions.find((one) => {
    if (!('pid' in one.by) || !isOfModel(one, model, nodes)) return false
    const { pid } = one.by
    return residents.every((resident) => resident.pid !== pid)
  })
  return user !== undefined && 'pid' in user.by ? `named by process ${user.by.pid}` : undefined
}

function openFile({ references }: ReferrerCase, { entries }: RecordedJob): string | undefined {
  const user = references.open.find(({ path }) => entries.some((one) => one.path === path))
  return user === undefined ? undefined : `in use by process ${user.pid}`
}

function otherHost({ elsewhere }: ReferrerCase, { names }: FetchedModel): string | undefined {
  const other = elsewhere.find(({ path }) => names.includes(nameOfPath(path)) || names.includes(`/${nameOfPath(path)}`))
  return other === undefined
    ? undefined
    : `${other.service} on ${other.host} loads a model of this name, perhaps over the network`
}

/** Programs that load any file in their folder. */
function othersFolder({ path }: FetchedModel): string | undefined {
  const program = othersFolders.find(({ pattern }) => pattern.test(path))?.program
  return program === undefined ? undefined : `it is in the folder of ${program}, which loads any model there`
}

const othersFolders = [
  { pattern: /\/(?:\.lmstudio|\.cache\/lm-studio|LM Studio)\//, program: 'LM Studio' },
  { pattern: /\/\.?ollama\//, program: 'Ollama' },
]
