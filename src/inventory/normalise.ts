import { InternalError } from '../errors/converge-error.ts'
import type { Fleet as WrittenSettings } from '../generated/inventory-file.ts'
import { defined } from '../lib/defined.ts'
import { digestOf } from '../lib/digest.ts'
import { shellSplit } from '../lib/shell-split.ts'
import type { Connection, DriftIgnore, Fleet, FleetSettings, Group, Host, Service } from '../model/fleet.ts'
import type { SourceRef } from '../model/source.ts'
import { defaultSettings } from './defaults.ts'
import { type GroupGraph, hostsBelow } from './group-graph.ts'
import { keyedSource } from './keyed-source.ts'
import { locateSecret } from './locate-secret.ts'
import { normaliseNotify } from './normalise-notify.ts'
import { normaliseSecret, normaliseService } from './normalise-service.ts'
import type { MergedHost } from './resolve-vars.ts'
import { sshArgumentsOf } from './ssh-arguments.ts'
import { usableHost } from './usable-host.ts'
import { type WrittenHost, writtenHost } from './written-host.ts'
import { entriesOf, type YamlEntry } from './yaml-node.ts'

/** A valid inventory, with everything that is needed to normalise it. */
export interface CheckedInventory {
  /** As given on the command line. */
  readonly path: string
  /** The folder of relative key files: that of the inventory, relative to the current folder. */
  readonly folder: string
  readonly settings: WrittenSettings
  /** Their entry; undefined: the inventory has none. */
  readonly settingsAt: YamlEntry | undefined
  readonly graph: GroupGraph
  readonly hosts: readonly MergedHost[]
  /** Host names in the order in which the files first name them. */
  readonly fileOrder: readonly string[]
  /** The position of each entry of `drift_ignore`. */
  readonly ignoredAt: readonly SourceRef[]
  /** The position of each entry of `notify`. */
  readonly notifyAt: readonly SourceRef[]
}

/** Applies all defaults and merges all groups. */
export function normalise(inventory: CheckedInventory): Fleet {
  const settings = normaliseSettings(inventory.settings)
  const hosts = inventory.hosts.map(normaliseHost)
  const groups = normaliseGroups(inventory.graph)
  // The digest depends neither on the path of the inventory nor on positions in its files.
  const digest = digestOf({ settings, groups, hosts: hosts.map(withoutSources) })
  const driftIgnore = normaliseIgnores(inventory)
  const notify = normaliseNotify(inventory.settings.notify ?? [], inventory)
  const { settingsAt: at, fileOrder } = inventory
  return {
    path: inventory.path,
    settings,
    ...(driftIgnore.length === 0 ? {} : { driftIgnore }),
    ...(notify.length === 0 ? {} : { notify }),
    hosts: hosts.map((host) => locateKeys(host, inventory.folder)),
    ...(hosts.every(({ name }, index) => name === fileOrder[index]) ? {} : { fileOrder }),
    groups,
    ...(at === undefined ? {} : { source: keyedSource(at.key, entriesOf(at.value)) }),
    digest,
  }
}

function normaliseSettings(written: WrittenSettings): FleetSettings {
  return {
    org: written.org ?? defaultSettings.org,
    ports: {
      min: written.ports?.min ?? defaultSettings.ports.min,
      reserved: written.ports?.reserved ?? defaultSettings.ports.reserved,
    },
    headroomGb: written.headroom_gb ?? defaultSettings.headroomGb,
    smallRamGb: written.small_ram_gb ?? defaultSettings.smallRamGb,
    ...defined({ client: written.client }),
    ...(written.endpoints === undefined || written.endpoints.length === 0 ? {} : { endpointsFiles: written.endpoints }),
  }
}

function normaliseIgnores({ settings, ignoredAt }: CheckedInventory): readonly DriftIgnore[] {
  return (settings.drift_ignore ?? []).map((written, index) => {
    const source = ignoredAt[index]
    if (source === undefined) throw new InternalError(`entry ${index + 1} of drift_ignore has no position`)
    return { ...written, source }
  })
}

function normaliseHost(asWritten: MergedHost): Host {
  const { host, apart } = usableHost(asWritten)
  const written = writtenHost(host)
  const platform = written.platform
  return {
    name: host.name,
    groups: host.groups,
    connection: normaliseConnection(host, written),
    ...defined({
      platform,
      ramGb: written.ram_gb,
      convergeDir: written.converge_dir,
      clientAddress: written.client_address,
    }),
    ...(Object.keys(written.sleep ?? {}).length === 0 ? {} : { sleep: written.sleep ?? {} }),
    ...(written.rotate_logs === true ? { rotateLogs: true as const } : {}),
    services: [...host.vars.services].map(([name, merged]) => normaliseService({ name: host.name, platform }, name, merged)),
    ...defined({ apart }),
    source: keyedSource(host.at, new Map([...host.vars.values].filter(([name]) => keysOfHosts.has(name)))),
  }
}

/** The keys that rules refer to. There may be many others, of other tools. */
const keysOfHosts: ReadonlySet<string> = new Set([
  'ansible_become',
  'ansible_host',
  'converge_dir',
  'platform',
  'ram_gb',
  'rotate_logs',
  'sleep',
])

function normaliseConnection(host: MergedHost, written: WrittenHost): Connection {
  const port = host.port ?? written.ansible_port
  return {
    transport: written.ansible_connection ?? 'ssh',
    address: written.ansible_host ?? host.name,
    ...defined({ port, user: written.ansible_user, privateKeyFile: written.ansible_ssh_private_key_file }),
    sshArgs: sshArgumentsOf(written).flatMap((line) => shellSplit(line) ?? []),
    become: written.ansible_become ?? false,
    becomeUser: written.ansible_become_user ?? 'root',
    ...(written.ansible_become_password === undefined
      ? {}
      : { becomePassword: normaliseSecret(written.ansible_become_password) }),
  }
}

function normaliseGroups(graph: GroupGraph): readonly Group[] {
  return [...graph.members.keys()].map((name) => ({
    name,
    hosts: hostsBelow(graph, name),
    children: graph.children.get(name) ?? [],
  }))
}

function withoutSources(host: Host): unknown {
  const { source: _host, apart: _apart, ...rest } = host
  return { ...rest, services: host.services.map(({ source: _service, ...service }) => service) }
}

/** Relative key files start at the inventory's folder, not at the current one. */
function locateKeys(host: Host, folder: string): Host {
  const { becomePassword } = host.connection
  const connection =
    becomePassword === undefined ? host.connection : { ...host.connection, becomePassword: locateSecret(becomePassword, folder) }
  return { ...host, connection, services: host.services.map((service) => locateKey(service, folder)) }
}

function locateKey(service: Service, folder: string): Service {
  const { key, model } = service
  const token = model.source?.token
  return {
    ...service,
    ...(key === undefined ? {} : { key: locateSecret(key, folder) }),
    ...(model.source === undefined || token === undefined
      ? {}
      : { model: { ...model, source: { ...model.source, token: locateSecret(token, folder) } } }),
  }
}
