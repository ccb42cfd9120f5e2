import { readFile, realpath } from 'node:fs/promises'
import { ConvergeError } from '../../errors/converge-error.ts'
import { stableJson } from '../../lib/stable-json.ts'
import { pathAt } from '../../lib/yaml-edit/path-at.ts'
import { setEntry } from '../../lib/yaml-edit/set-entry.ts'
import { loadInventory } from '../../load/load.ts'
import type { FileEdit } from '../../model/file-edit.ts'
import type { Fleet, Host, Service } from '../../model/fleet.ts'

/**
 * The edit of the inventory that sets `state: unmanaged` for one service of one host; undefined: it is so already.
 *
 * @throws ConvergeError `RELEASE.UNWRITABLE` if that would change more, for example the same service of other hosts of a group
 */
export async function releaseEdit(fleet: Fleet, host: Host, service: Service): Promise<FileEdit | undefined> {
  if (service.state === 'unmanaged') return undefined
  const { file: named, line, column } = service.source
  const file = await realpath(named)
  const before = await readFile(file, 'utf8')
  const path = pathAt(before, { line, column })
  const after =
    path === undefined
      ? { why: 'it is written in a form that converge does not edit' }
      : setEntry(before, [...path, 'state'], 'unmanaged')
  if (typeof after !== 'string') throw unwritable(host, service, after.why)
  const edit = { file, before, after }
  const { fleet: changed } = await loadInventory(fleet.path, { edits: [edit] })
  const others = changedServices(fleet, changed).filter((name) => name !== nameOf(host, service))
  if (others.length > 0) throw unwritable(host, service, `it also defines ${others.slice(0, 5).join(', ')}`)
  return edit
}

function nameOf(host: Host, service: Service): string {
  return `${service.name}@${host.name}`
}

function changedServices(before: Fleet, after: Fleet): readonly string[] {
  const now = meanings(after)
  return [...meanings(before)].flatMap(([name, meaning]) => (now.get(name) === meaning ? [] : [name]))
}

function meanings(fleet: Fleet): ReadonlyMap<string, string> {
  return new Map(
    fleet.hosts.flatMap((host) => host.services.map((service) => [nameOf(host, service), meaningOf(service)] as const)),
  )
}

function meaningOf({ source: _source, ...service }: Service): string {
  return stableJson(service)
}

function unwritable({ name: host }: Host, { name, source }: Service, why: string): ConvergeError {
  return new ConvergeError('RELEASE.UNWRITABLE', {
    summary: 'The inventory cannot be edited for this service alone.',
    why: `${name} is defined in ${source.file}:${source.line}: ${why}.`,
    next: [
      `Write into host_vars/${host}.yaml:  services: { ${name}: { state: unmanaged } }`,
      'Then run `converge apply` for it.',
    ],
  })
}
