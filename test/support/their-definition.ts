import { defined } from '../../src/lib/defined.ts'
import { sha256 } from '../../src/lib/digest.ts'
import { folderOfPath } from '../../src/lib/posix-path.ts'
import { composeLabels, containerNames, projectName, serviceKey } from '../../src/managers/compose/names.ts'
import { partsOfBlock } from '../../src/managers/compose/parts-of-block.ts'
import { blockValue, ownPart } from '../../src/managers/compose/shared-block.ts'
import { managers } from '../../src/managers/index.ts'
import { labelOf } from '../../src/managers/launchd/definition.ts'
import { ownershipLabelOf } from '../../src/managers/ownership-label.ts'
import type { Container, DefinitionFile, HostFacts } from '../../src/model/facts.ts'
import type { Service } from '../../src/model/fleet.ts'
import type { LaunchAgent } from '../../src/model/launchd-fact.ts'
import { known, mapObserved } from '../../src/model/observed.ts'
import { pidOf } from './simulated-pid.ts'

/** A definition that a person wrote, and the server that runs from it. */
export interface TheirDefinition {
  readonly text: string
  /** The text as it is on the host, with its keys; absent: it has none. */
  readonly digestOf?: string
  /** The arguments of the process; absent: those that converge would pass. */
  readonly argv?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** The executable file of the process. */
  readonly executable?: string
  /** launchd: the arguments of the loaded job, if it is not the process itself. */
  readonly job?: readonly string[]
  /** Compose: what differs between the container and the one that compose would create from the text. */
  readonly container?: Partial<Container>
  /** Whether it was adopted before. */
  readonly adopted?: true
  /** Whether it was changed after that. */
  readonly changed?: true
}

/** The facts of a host where converge has applied a service, with another definition, which a person wrote. */
export function withTheirs(facts: HostFacts, service: Service, theirs: TheirDefinition): HostFacts {
  const question = managers[service.manager].asks(service, 'example')
  const [asked = ''] = question.definitions
  const before = facts.definitions[asked]
  const path = before?.known === true ? (before.value?.path ?? asked) : asked
  const file: DefinitionFile = {
    path,
    digest: sha256(theirs.digestOf ?? theirs.text),
    content: theirs.text,
    mode: 0o644,
    owner: 'root',
    mark: null,
  }
  const definition = service.file === undefined ? file : ownPart(service, file, ownershipLabelOf('example', service.name))
  const digest = definition?.digest ?? file.digest
  return {
    ...facts,
    definitions: { ...facts.definitions, [asked]: known(file) },
    keyFiles: { ...facts.keyFiles, ...Object.fromEntries(question.keyFiles.map((one) => [one, known(null)])) },
    residents: mapObserved(facts.residents, (all) =>
      all.map((one) => (one.pid === pidOf(service) ? { ...one, ...processOf(theirs) } : one)),
    ),
    launchd: withJob(facts, service, theirs),
    containers: withContainer(facts, service, theirs),
    applied: mapObserved(facts.applied, ({ [service.name]: _before, ...rest }) => {
      if (theirs.adopted === undefined) return rest
      const definitionDigest = theirs.changed === undefined ? digest : sha256('before')
      const mark = ownershipLabelOf('example', service.name)
      const record = { service: service.name, mark, runId: 'r1', appliedAt: '2026-10-20T08:00:00.000Z', definitionDigest }
      return { ...rest, [service.name]: { ...record, adopted: true as const, wanted: placeOf(service) } }
    }),
  }
}

/** The fields of a record that say where the definition is. */
function placeOf({ file, fileService, project, container }: Service) {
  return file === undefined ? {} : defined({ file, fileService, project, container })
}

function processOf({ argv, env, executable }: TheirDefinition) {
  return {
    ...(argv === undefined ? {} : { argv }),
    ...(env === undefined ? {} : { env }),
    ...(executable === undefined ? {} : { executable: { path: executable, inode: '1' } }),
  }
}

/** A container as compose creates it from the user's own file. */
function withContainer(facts: HostFacts, service: Service, { text, container }: TheirDefinition): HostFacts['containers'] {
  const { file } = service
  if (file === undefined) return facts.containers
  const {
    image = '',
    entrypoint,
    command,
    mounts,
    ports,
    rest,
  } = partsOfBlock(blockValue(text, service) ?? {}, folderOfPath(file))
  const theirs = {
    image,
    ...(entrypoint.length === 0 ? {} : { entrypoint }),
    command,
    restartPolicy: rest['restart'] ?? 'no',
    binds: mounts.map(({ source, target, isReadOnly }) => `${source}:${target}${isReadOnly ? ':ro' : ''}`),
    ports: ports.map(({ published, target }) => `${published}:${target}`),
    labels: {
      [composeLabels.project]: projectName(service),
      [composeLabels.service]: serviceKey(service),
      [composeLabels.files]: file,
      [composeLabels.folder]: folderOfPath(file),
    },
    ...container,
  }
  const names = containerNames(service)
  return mapObserved(facts.containers, (all) => ({
    ...all,
    containers: all.containers.map((one) => (names.includes(one.name) ? { ...one, ...theirs } : one)),
  }))
}

function withJob({ launchd }: HostFacts, service: Service, { argv, env, job }: TheirDefinition): HostFacts['launchd'] {
  return mapObserved(launchd, (one) => {
    const label = labelOf(service, 'example')
    const agent = one.agents[label]
    if (agent === undefined || argv === undefined) return one
    const { stdoutPath: _log, ...rest } = agent
    const theirs: LaunchAgent = { ...rest, arguments: job ?? argv, environment: env ?? {} }
    return { ...one, agents: { ...one.agents, [label]: theirs } }
  })
}
