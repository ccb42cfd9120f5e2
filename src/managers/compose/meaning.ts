import type { Service } from '../../model/fleet.ts'
import type { ServerKindName } from '../../model/names.ts'
import { serverKinds } from '../../servers/index.ts'
import { canonicalSetting } from '../../servers/same-setting.ts'
import { type Fields, flagFields } from '../flag-fields.ts'
import type { Mount, Parts, PublishedPort } from './parts-of-block.ts'
import { launchInContainer } from './project.ts'

/**
 * A container field by field, as it is seen from the host: paths are those of the host, the port and the address are the published ones. So two
 * containers with other folders and ports inside are the same if they serve the same files at the same place.
 *
 * @param parts without the entrypoint, if the server has that of its image
 */
export function meaningOf(parts: Parts, kind: ServerKindName): Fields {
  const view = viewOf(parts.mounts)
  const given: Fields = {
    ...flagFields(
      'command',
      [...parts.entrypoint, ...parts.command].map((word) => view.onHost(word)),
    ),
    ...Object.fromEntries(Object.entries(parts.environment).map(([name, value]) => [`environment.${name}`, view.onHost(value)])),
  }
  const [port, address] = [flagOf(kind, 'port'), flagOf(kind, 'host')]
  const isAbout = (name: string, flag: string) => canonicalSetting(kind, name.replace(/^(command|environment)\./, '')) === flag
  const inside = Object.entries(given).findLast(([name]) => isAbout(name, port))?.[1]
  const served = servedBy(parts.ports, inside)
  const own = Object.entries(given).filter(([name]) => !isAbout(name, port) && !isAbout(name, address))
  return {
    ...parts.rest,
    ...(parts.image === undefined ? {} : { image: parts.image }),
    ...Object.fromEntries(own),
    ...(served === undefined ? {} : { [`command.${port}`]: served.published }),
    ...(served?.address === undefined ? {} : { [`command.${address}`]: served.address }),
    ...Object.fromEntries(
      parts.ports
        .filter((one) => one !== served)
        .map(({ published, target }) => [`ports.${published}`, `${published}:${target}`] as const),
    ),
    ...view.fields(),
  }
}

/** The mapping to the port that the server listens on; of an unknown one, the only one. */
export function servedBy(ports: readonly PublishedPort[], inside: string | undefined): PublishedPort | undefined {
  if (inside === undefined) return ports.length === 1 ? ports[0] : undefined
  return ports.find(({ target }) => target === inside)
}

export function flagOf(kind: ServerKindName, field: 'port' | 'host'): string {
  const setting = serverKinds[kind].fields.settings.find((one) => one.field === field)
  return setting?.flags[0] ?? `--${field}`
}

interface View {
  /** A word of the command, or a value of the environment, with the path that it has on the host. */
  onHost(word: string): string
  /** The mounts, by their folder in the container: those that a word needed, and the others. */
  fields(): Fields
}

export function viewOf(mounts: readonly Mount[]): View {
  const deepest = mounts.toSorted((a, b) => b.target.length - a.target.length)
  const used = new Set<Mount>()
  return {
    onHost(word) {
      const [, flag = '', path = ''] = /^(--?[A-Za-z][\w-]*=)?(.*)$/s.exec(word) ?? []
      const mount = deepest.find(({ target }) => path === target || path.startsWith(target === '/' ? '/' : `${target}/`))
      if (mount === undefined) return word
      used.add(mount)
      return flag + mount.source + path.slice(mount.target.length)
    },
    fields: () =>
      Object.fromEntries(mounts.map((mount) => [`${used.has(mount) ? 'mount' : 'volumes'}.${mount.target}`, textOf(mount)])),
  }
}

function textOf({ source, target, isReadOnly }: Mount): string {
  return `${source}:${target}${isReadOnly ? ':ro' : ''}`
}

/** The entrypoint counts as part of the command for a server that converge starts with one. For others it is a setting that converge lacks. */
export function withOwnEntrypoint(parts: Parts, service: Service): Parts {
  if (rendersEntrypoint(service) || parts.entrypoint.length === 0) return parts
  return { ...parts, entrypoint: [], rest: { ...parts.rest, entrypoint: parts.entrypoint.join(' ') } }
}

/** Whether converge gives the container an entrypoint, instead of that of the image. */
export function rendersEntrypoint(service: Service): boolean {
  const { entrypointLength, program } = launchInContainer({ service, key: undefined })
  return entrypointLength !== program.length
}
