import { holdsServer } from '../managers/holds-server.ts'
import type { ServiceState } from '../managers/manager.ts'
import type { Finding } from '../policy/rule.ts'
import { factUnknown } from '../policy/words.ts'
import type { Proposal } from '../schedule/proposal.ts'
import type { ServiceCase } from '../simulate/service-case.ts'
import { proposeAdoption, withAdopted } from './adoption.ts'
import { desiredFiles } from './desired-files.ts'
import { withOverrideChange } from './override-change.ts'
import { proposeAbsent } from './propose-absent.ts'
import { withKeepAwake } from './propose-keep-awake.ts'
import { proposeOperation } from './propose-operation.ts'
import { proposeRunning } from './propose-running.ts'
import { proposeStopped } from './propose-stopped.ts'
import { withTidying } from './propose-tidying.ts'
import { unknownFolder } from './unknown-folder.ts'

/**
 * Compares three layers: the desired definition, the one on disk, and the running server. Only the running server decides whether a restart is
 * needed, never whether this run wrote a file.
 */
export function diffService(subject: ServiceCase): Proposal {
  const { state, service, host } = subject
  if (!state.known) {
    const words = { host: host.name, decision: `what ${service.name} needs` }
    return { actions: [], findings: [factUnknown(`The state of ${service.name}`, state, words)] }
  }
  const noFolder = unknownFolder(subject)
  if (noFolder !== undefined) return { actions: [], findings: [noFolder] }
  if (subject.asked !== undefined)
    return withOverrideChange(subject, state.value, withKeepAwake(subject, state.value, proposeOperation(subject, state.value)))
  if (service.state === 'absent') return proposeAbsent(subject, state.value)
  const desired = desiredFiles(subject, state.value)
  if ('why' in desired) return { actions: [], findings: [desired] }
  const adoption = proposeAdoption(subject, state.value)
  if (adoption !== undefined) return withOverrideChange(subject, state.value, withKeepAwake(subject, state.value, adoption))
  const propose = service.state === 'running' ? proposeRunning : proposeStopped
  const files = withAdopted(subject, state.value, desired)
  const proposal = propose(subject, state.value, files)
  const unknown = overrideUnknown(subject, state.value, proposal)
  if (unknown !== undefined) return { actions: [], findings: [unknown] }
  const tidied = withTidying(subject, state.value, files, proposal)
  return withOverrideChange(subject, state.value, withKeepAwake(subject, state.value, tidied))
}

/** A server is neither started nor stopped where the record is unreadable that may say who asked for the state that it is in. */
function overrideUnknown(
  { facts: { applied }, service, host }: ServiceCase,
  state: ServiceState,
  { actions }: Proposal,
): Finding | undefined {
  const isUp = holdsServer(state)
  const turns = actions.some(({ kind, starts, momentary }) => (isUp ? kind === 'stop' && momentary !== true : starts))
  if (applied.known || !turns) return undefined
  const words = { host: host.name, decision: `whether someone asked for another state of ${service.name}` }
  return factUnknown('The records of applies', applied, words)
}
