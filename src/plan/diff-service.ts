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
  const tidied = withTidying(subject, state.value, files, propose(subject, state.value, files))
  return withOverrideChange(subject, state.value, withKeepAwake(subject, state.value, tidied))
}
