import { defined } from '../../lib/defined.ts'
import { nameOfPath } from '../../lib/posix-path.ts'
import type { Container } from '../../model/facts.ts'
import { serverKinds } from '../../servers/index.ts'
import { isServerKind } from '../../servers/traits.ts'
import type { FoundProcess, Origin } from '../manager.ts'
import { composeLabels, containerNames, fileOf, projectName } from './names.ts'
import { containerOf } from './seen.ts'
import { startedInContainer } from './started.ts'

/** The service of a compose project that the container of a process belongs to; or its container, if `docker run` made it. */
export function originOf(process: FoundProcess): Origin | undefined {
  const { resident, facts } = process
  const container = containerOf(resident, facts)
  if (container === undefined || !isServerKind(resident.role)) return undefined
  const image = container.image === serverKinds[resident.role].defaults.image ? {} : { image: container.image }
  const started = startedInContainer(process, container, resident.role)
  const project = container.labels[composeLabels.project]
  if (project === undefined) return { words: `the container ${container.name}`, fields: image, started }
  const words = `the container ${container.name} of the compose project ${project}`
  const unmanageable = faultOf(container)
  return unmanageable === undefined
    ? { words, fields: { ...fieldsOf(container, project), ...image }, started }
    : { words, fields: {}, unmanageable }
}

function faultOf({ labels }: Container): string | undefined {
  const files = fileOf(labels)
  const isOnce = labels[composeLabels.once]?.toLowerCase() === 'true'
  if (isOnce) return 'it was started with `compose run`'
  if (labels[composeLabels.service] === undefined || files === undefined)
    return 'its labels do not say from which compose file it was started (an old version of compose, or podman-compose)'
  if (files.includes(','))
    return `it was started from several compose files (${files.replaceAll(',', ', ')}), and converge manages a service in one`
  if (!files.startsWith('/')) return `its labels name the compose file by a relative path (${files})`
  return /\.ya?ml$/.test(files) ? undefined : `its compose file ${nameOfPath(files)} is not a .yaml or .yml file`
}

/** Only what differs from what converge derives. `file_service` is the name of the service, if that is chosen as the service's own. */
function fieldsOf({ name, labels }: Container, project: string): Origin['fields'] {
  const file = fileOf(labels) ?? ''
  const service = labels[composeLabels.service] ?? ''
  const derived = { name: service, file, ...(projectName({ name: service, file }) === project ? {} : { project }) }
  const container = containerNames(derived).includes(name) ? undefined : name
  return { file, file_service: service, ...defined({ project: derived.project, container }) }
}
