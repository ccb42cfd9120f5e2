import { managers } from '../../src/managers/index.ts'
import type { ManagerQuestion } from '../../src/managers/manager.ts'
import type { HostFacts, ModelFiles } from '../../src/model/facts.ts'
import type { Fleet, FleetSettings, Host, Service } from '../../src/model/fleet.ts'
import { known, type Observed } from '../../src/model/observed.ts'
import { hostAt, writtenAt } from './key-places.ts'

/** Values for pure tests: everything has a sensible default, a test says only what it is about. */

export const gibibyte = 1024 ** 3
const source = { file: 'inventories/home/hosts.yaml', line: 1, column: 1, keys: {} }

export function aFleet({
  hosts,
  settings = {},
}: {
  readonly hosts: readonly Host[]
  readonly settings?: Partial<FleetSettings>
}): Fleet {
  return {
    path: 'inventories/home',
    settings: {
      org: 'example',
      ports: { min: 9990, reserved: [9999, 11434] },
      headroomGb: 8,
      smallRamGb: 32,
      ...settings,
    },
    hosts,
    groups: [{ name: 'all', hosts: hosts.map((host) => host.name), children: [] }],
    digest: 'd'.repeat(64),
  }
}

export function aHost({ services = [], ...given }: Partial<Host> = {}): Host {
  const name = given.name ?? 'nas'
  return {
    name,
    groups: ['all'],
    connection: { transport: 'ssh', address: name, sshArgs: [], become: false, becomeUser: 'root' },
    source: hostAt(given),
    ...given,
    services: services.map((service, index) => ({
      ...service,
      host: name,
      source: writtenAt(service, 100 * (index + 1)),
    })),
  }
}

/** Kind A under compose unless said otherwise; Kind B under systemd. Keys of optional fields may be undefined to take them away. */
export function aService(given: ServiceOptions = {}): Service {
  const kind = given.kind ?? 'A'
  const name = given.name ?? (kind === 'A' ? 'coder' : 'flagship')
  const manager = given.manager ?? (kind === 'A' ? 'compose' : 'systemd')
  const all = {
    name,
    host: 'nas',
    kind,
    manager,
    state: 'running',
    port: kind === 'A' ? 9996 : 9997,
    alias: name,
    bind: '0.0.0.0',
    ...(manager === 'compose' ? { image: 'ghcr.io/ggml-org/llama.cpp:server' } : {}),
    ...(manager === 'compose' ? {} : { executable: kind === 'A' ? '/usr/bin/llama-server' : '/opt/kindb/serve' }),
    ...(kind === 'B' ? { interpreter: '/usr/bin/python3', ramGb: 16 } : {}),
    model: { path: kind === 'A' ? `/srv/models/${name}.gguf` : `/srv/models/${name}` },
    ctxSize: kind === 'A' ? 4096 : 16384,
    jinja: true,
    extraArgs: [],
    extraEnv: {},
    envPrefix: 'SRV',
    noBrowser: false,
    allowedHosts: [],
    key: { env: `${name.toUpperCase()}_KEY` },
    keyDelivery: 'file',
    readyTimeoutS: 120,
    completionTimeoutS: 60,
    stopTimeoutS: 60,
    keepAwake: false,
    source,
    ...given,
  } satisfies Record<keyof Service, unknown> | object
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- undefined takes an optional field away, which the types forbid
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as unknown as Service
}

/** They exist, and have access to everything. */
function accountsOf(asked: readonly ManagerQuestion[]): HostFacts['accounts'] & object {
  const questions = asked.flatMap(({ account }) => account ?? [])
  return Object.fromEntries(
    questions.map(({ account, reads, runs }) => {
      const name = account === '' ? 'op' : account
      const access = Object.fromEntries([...reads, ...runs].map((path) => [path, true]))
      return [account, known({ name, uid: account === '' ? 501 : 502, home: `/Users/${name}`, access })]
    }),
  )
}

export type ServiceOptions = { readonly [K in keyof Service]?: Service[K] | undefined }

/** A Linux host with an engine and systemd, root, 64 GiB, where nothing of the fleet is yet and all models lie ready. */
export function someFacts(host: Host, given: Partial<HostFacts> = {}): HostFacts {
  const asked = host.services.map((service) => managers[service.manager].asks(service, 'example'))
  const nothing = known(null)
  const absent = (paths: readonly string[]) => Object.fromEntries(paths.map((path) => [path, nothing]))
  return {
    host: host.name,
    gatheredAt: '2026-11-01T08:00:00.000Z',
    salt: 'a1b2c3',
    platform: known({ os: 'linux', kernel: 'Linux 6.12', arch: 'x86_64', hostname: host.name, bootId: 'b00t' }),
    layout: known({ user: 'op', home: '/home/op', effectiveUid: 0, root: '/etc/converge' }),
    memory: known({ totalBytes: 64 * gibibyte, availableBytes: 60 * gibibyte }),
    listeners: known([]),
    residents: known([]),
    containers: known({
      engine: {
        path: '/usr/bin/docker',
        version: '26.1.5',
        compose: known({ argv: ['/usr/bin/docker', 'compose'], version: '2.26.1' }),
      },
      containers: [],
      images: Object.fromEntries(asked.flatMap((question) => question.images).map((image) => [image, true])),
    }),
    systemd: known({
      version: '257',
      units: Object.fromEntries(asked.flatMap((question) => question.units).map((unit) => [unit, noUnit])),
    }),
    launchd:
      host.platform === 'macos'
        ? known({ agents: {}, disabled: known([]), managerName: known('Background') })
        : { known: false, because: 'wrong-platform' },
    ...(host.platform === 'macos'
      ? { daemons: known({ agents: {}, disabled: known([]), fileVault: known(false) }), accounts: accountsOf(asked) }
      : {}),
    power: { known: false, because: 'not-gathered' },
    definitions: absent(asked.flatMap((question) => question.definitions)),
    keyFiles: absent(asked.flatMap((question) => question.keyFiles)),
    leftovers: {},
    models: Object.fromEntries(host.services.map((service) => [service.model.path, known(modelOf(service))])),
    executables: executablesOf(host.services),
    disks: {},
    applied: known({}),
    lock: known(null),
    journal: known(null),
    rollbackTimers: known([]),
    downloads: known([]),
    caffeinates: known([]),
    http: {},
    ...given,
  }
}

const noUnit = {
  loadState: 'not-found',
  activeState: 'inactive',
  subState: 'dead',
  result: 'success',
  mainPid: 0,
  restarts: 0,
  needDaemonReload: false,
  unitFileState: '',
  fragmentPath: '',
  dropIns: [],
  execMainStatus: 0,
  execMainCode: 0,
}

/** A small model, whole: 2 GiB in one file. */
export function modelOf(service: Service, bytes = 2 * gibibyte): ModelFiles {
  const { path } = service.model
  return {
    path,
    type: service.kind === 'A' ? 'file' : 'directory',
    files: [{ path, bytes }],
    shards: 1,
    missing: [],
    unfinished: [],
    header:
      service.kind === 'B'
        ? { known: false, because: 'unreadable', detail: 'a folder has no GGUF header' }
        : known({ version: 3, architecture: 'llama', blockCount: 16, embeddingLength: 2048, headCount: 16, headCountKv: 4 }),
    cachedBytes: { known: false, because: 'not-gathered' },
  }
}

function executablesOf(services: readonly Service[]): HostFacts['executables'] {
  const paths = services.flatMap(({ executable, interpreter }) => [executable, interpreter]).filter((path) => path !== undefined)
  const flags: Observed<readonly string[]> = known(everyFlag)
  return Object.fromEntries(paths.map((path) => [path, known({ path, executable: true, flags })]))
}

const everyFlag = (
  '--host --port --model --alias --ctx-size --threads --n-gpu-layers --jinja --api-key --api-key-file ' +
  '--cache-ram --model-id --ctx --ram --allowed-host --max-queue --kv-slots'
).split(' ')
