import { sha256 } from '../../src/lib/digest.ts'
import { managers } from '../../src/managers/index.ts'
import { labelOf } from '../../src/managers/launchd/definition.ts'
import { ownershipLabelOf } from '../../src/managers/ownership-label.ts'
import type { DefinitionFile, HostFacts } from '../../src/model/facts.ts'
import type { Service } from '../../src/model/fleet.ts'
import type { LaunchAgent } from '../../src/model/launchd-fact.ts'
import { known, mapObserved } from '../../src/model/observed.ts'
import { pidOf } from './simulated-pid.ts'

/** A definition that a person wrote, and the server that runs from it. */
export interface TheirDefinition {
  readonly text: string
  /** The arguments of the process; absent: those that converge would pass. */
  readonly argv?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** The executable file of the process. */
  readonly executable?: string
  /** launchd: the arguments of the loaded job, if it is not the process itself. */
  readonly job?: readonly string[]
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
  const digest = sha256(theirs.text)
  const file: DefinitionFile = { path, digest, content: theirs.text, mode: 0o644, owner: 'root', mark: null }
  return {
    ...facts,
    definitions: { ...facts.definitions, [asked]: known(file) },
    keyFiles: { ...facts.keyFiles, ...Object.fromEntries(question.keyFiles.map((one) => [one, known(null)])) },
    residents: mapObserved(facts.residents, (all) =>
      all.map((one) => (one.pid === pidOf(service) ? { ...one, ...processOf(theirs) } : one)),
    ),
    launchd: withJob(facts, service, theirs),
    applied: mapObserved(facts.applied, ({ [service.name]: _before, ...rest }) => {
      if (theirs.adopted === undefined) return rest
      const definitionDigest = theirs.changed === undefined ? digest : sha256('before')
      const mark = ownershipLabelOf('example', service.name)
      const record = { service: service.name, mark, runId: 'r1', appliedAt: '2026-10-20T08:00:00.000Z', definitionDigest }
      return { ...rest, [service.name]: { ...record, adopted: true as const, wanted: {} } }
    }),
  }
}

function processOf({ argv, env, executable }: TheirDefinition) {
  return {
    ...(argv === undefined ? {} : { argv }),
    ...(env === undefined ? {} : { env }),
    ...(executable === undefined ? {} : { executable: { path: executable, inode: '1' } }),
  }
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
