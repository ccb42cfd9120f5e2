import { folderOfPath, nameOfPath } from '../../lib/posix-path.ts'
import type { Container } from '../../model/facts.ts'
import type { NamedService } from '../manager.ts'

/** The key of the service in its compose file. */
export function serviceKey({ name, fileService = name }: NamedService): string {
  return fileService
}

/** The compose project: in a user's own file the one that compose derives from the folder. Project names cannot contain dots. */
export function projectName({ name, file, project }: NamedService): string {
  if (project !== undefined) return project
  if (file === undefined) return name.replaceAll('.', '_')
  return nameOfPath(folderOfPath(file))
    .toLowerCase()
    .replaceAll(/[^-_a-z0-9]/g, '')
    .replace(/^[-_]+/, '')
}

/** What the container may be called: in a user's own file as compose v2 names it, or as 1.29 does. */
export function containerNames(service: NamedService): readonly [string, ...string[]] {
  const { name, file, container } = service
  if (container !== undefined || file === undefined) return [container ?? name]
  const parts = [projectName(service), serviceKey(service), '1']
  return [parts.join('-'), parts.join('_')]
}

/** What the supervisor calls a service; with the place of a definition that is in a user's own file. */
export function nameOf(service: NamedService): string {
  const [name] = containerNames(service)
  return service.file === undefined
    ? name
    : `${name} (${serviceKey(service)} in ${service.file}, project ${projectName(service)})`
}

/** Labels that compose gives its containers. */
export const composeLabels = {
  project: 'com.docker.compose.project',
  service: 'com.docker.compose.service',
  files: 'com.docker.compose.project.config_files',
  folder: 'com.docker.compose.project.working_dir',
  once: 'com.docker.compose.oneoff',
} as const

/** Whether compose created the container for this service of this file. Old versions do not record the file. */
export function comesFromFile({ labels }: Container, service: NamedService): boolean {
  if (service.file === undefined || labels[composeLabels.once]?.toLowerCase() === 'true') return false
  const file = fileOf(labels)
  return (
    labels[composeLabels.project] === projectName(service) &&
    labels[composeLabels.service] === serviceKey(service) &&
    (file === undefined || file === service.file)
  )
}

/** The same in any project: the file may name one (`name:`), or the person who started it did. */
export function isInFile({ labels }: Container, service: NamedService): boolean {
  return service.file !== undefined && labels[composeLabels.service] === serviceKey(service) && fileOf(labels) === service.file
}

/** The files that a project was started with, as compose recorded them; undefined: it did not. A relative path starts at the folder of the project. */
export function fileOf(labels: Container['labels']): string | undefined {
  const [files, folder] = [labels[composeLabels.files], labels[composeLabels.folder]]
  if (files === undefined || files === '') return undefined
  return files.startsWith('/') || (folder ?? '') === '' || files.includes(',') ? files : `${folder}/${files.replace(/^\.\//, '')}`
}
