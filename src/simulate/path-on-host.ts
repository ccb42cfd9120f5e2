import type { HostFacts, Resident } from '../model/facts.ts'

/** Translates a path in a container to the host. */
export function pathOnHost(path: string, { container: id }: Resident, { containers }: HostFacts): string {
  if (id === undefined || id === '' || !containers.known) return path
  const binds = containers.value.containers.find((one) => one.id.startsWith(id))?.binds ?? []
  const found = binds.flatMap((bind) => {
    const [, folder = '', inside = ''] = /^(.*?):(\/[^:]*)(?::[^:]*)?$/.exec(bind) ?? []
    return inside !== '' && path.startsWith(`${inside}/`) ? [folder + path.slice(inside.length)] : []
  })
  return found[0] ?? path
}
