import type { FoundProcess, Origin } from '../manager.ts'

/** The compose project that the container of a process belongs to. */
export function originOf({ resident, facts }: FoundProcess): Origin | undefined {
  const { container: id } = resident
  if (id === undefined || id === '' || !facts.containers.known) return undefined
  const container = facts.containers.value.containers.find((one) => one.id.startsWith(id))
  const project = container?.labels['com.docker.compose.project']
  if (container === undefined || project === undefined) return undefined
  return {
    words: `the container ${container.name} of the compose project ${project}`,
    fields: {},
    unmanageable: 'converge does not take over compose files yet',
  }
}
