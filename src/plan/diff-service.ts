import type { ServiceState } from '../managers/manager.ts'
import { factUnknown } from '../policy/words.ts'
import type { Proposal } from './proposal.ts'
import { proposeAbsent } from './propose-absent.ts'
import { proposeRunning } from './propose-running.ts'
import { proposeStopped } from './propose-stopped.ts'
import type { ServiceCase } from './service-case.ts'
import { wantedFiles } from './wanted-files.ts'

/**
 * Compares three layers: the definition that is wanted, the one on disk, and what runs. Whether a restart is needed follows from
 * what runs, never from whether a file was written in this run.
 *
 * @param withoutKey its key is missing or of no use: nothing may be rendered, but a server may still be stopped
 */
export function diffService(subject: ServiceCase, withoutKey: boolean): Proposal {
  const { state, service, host } = subject
  if (!state.known) {
    const words = { host: host.name, decision: `what ${service.name} needs` }
    return { actions: [], findings: [factUnknown(`The state of ${service.name}`, state, words)] }
  }
  if (service.state === 'absent') return proposeAbsent(subject, state.value)
  if (withoutKey) return stopAlone(subject, state.value)
  const wanted = wantedFiles(subject, state.value)
  if ('why' in wanted) return { actions: [], findings: [wanted] }
  return service.state === 'running' ? proposeRunning(subject, state.value, wanted) : proposeStopped(subject, state.value, wanted)
}

function stopAlone(subject: ServiceCase, state: ServiceState): Proposal {
  if (subject.service.state !== 'stopped') return { actions: [], findings: [] }
  const { actions, findings } = proposeStopped(subject, state, undefined)
  return { actions: actions.filter((action) => action.kind === 'stop'), findings }
}
