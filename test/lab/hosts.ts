import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { freePort } from '../../simulation/ssh-files.ts'
import { docker } from './docker.ts'
import { publishedPort } from './enter.ts'
import { type EnginePlace, furnishBox, furnishMetal, furnishNas, writeModels } from './furnish.ts'
import { attach, type HostCoordinates, type LabHost } from './host.ts'
import { HOST_KINDS, type HostKind } from './host-kinds.ts'
import { type Images, imageOf, prepareImages } from './images.ts'
import { createKey, type KeyPair } from './keys.ts'
import { type SshKeys, startContainer } from './lab-container.ts'
import { OWNER_LABEL, RUN_PREFIX, sweepLeftovers } from './leftovers.ts'
import { untilReady } from './ready.ts'
import { type KnownHost, writeSshFiles } from './ssh-files.ts'

export interface HostWanted {
  readonly name: string
  readonly kind: HostKind
  /** Only for a NAS; default: usual. */
  readonly engine?: EnginePlace
  /** The name of the bastion it is hidden behind. */
  readonly behind?: string
  /** Other containers reach it by its name; one behind a bastion always is. */
  readonly named?: true
  /** It keeps its port, so that it can be rebooted. */
  readonly reboots?: true
}

export interface Lab extends AsyncDisposable {
  readonly hosts: readonly LabHost[]
  /** The hosts as plain data, for another process to `attach` to. */
  readonly coordinates: readonly HostCoordinates[]
  readonly directory: string
  readonly sshConfigFile: string
  host(name: string): LabHost
  /** Cuts the power of a host that `reboots`, and resolves when it has booted again. */
  reboot(name: string): Promise<void>
  stop(): Promise<void>
}

/** What runs for work by hand. */
export const STANDARD_HOSTS: readonly HostWanted[] = [
  { name: 'nas', kind: 'nas' },
  { name: 'box', kind: 'box' },
  { name: 'busybox', kind: 'busybox' },
  { name: 'bastion', kind: 'bastion' },
  { name: 'inner', kind: 'box', behind: 'bastion' },
]

/** What the lab test project starts once. */
export const HOSTS_OF_TESTS: readonly HostWanted[] = [
  ...STANDARD_HOSTS,
  { name: 'elsewhere', kind: 'nas', engine: 'unusual' },
  { name: 'old', kind: 'old-nas' },
]

interface Run {
  readonly directory: string
  readonly name: string
  /** Of its own only where a name is needed: making and removing one starts two dozen processes. */
  readonly network: string | undefined
  readonly images: Images
  readonly clientKey: KeyPair
  readonly models: string
  /** The containers that were started. */
  readonly containers: string[]
}

/** Once in a process: what later runs leave behind is for later ones to remove. */
let swept: Promise<void> | undefined

/** Starts hosts side by side; they have one client key and one known_hosts. */
export async function startLab(wanted: readonly HostWanted[]): Promise<Lab> {
  const images = await prepareImages(imagesFor(wanted))
  await (swept ??= sweepLeftovers())
  const run = await prepareRun(
    images,
    wanted.some(({ behind, named }) => behind !== undefined || named),
  )
  const started = await Promise.allSettled(wanted.map((host) => startHost(run, host)))
  const known = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  await writeSshFiles(known)
  const lab = labOf(run, known, wanted)
  const failed = started.find((result) => result.status === 'rejected')
  if (failed === undefined) return lab
  await lab.stop()
  throw failed.reason
}

function imagesFor(wanted: readonly HostWanted[]): string[] {
  return [...new Set(wanted.map(({ kind }) => HOST_KINDS[kind].image))]
}

async function prepareRun(images: Images, named: boolean): Promise<Run> {
  const directory = await mkdtemp(join(tmpdir(), `${RUN_PREFIX}${process.pid}-`))
  const name = basename(directory)
  const [clientKey, models] = await Promise.all([
    createKey(directory, 'client'),
    writeModels(directory),
    ...(named ? [docker(['network', 'create', '--label', `${OWNER_LABEL}=${process.pid}`, name])] : []),
  ])
  return { directory, name, network: named ? name : undefined, images, clientKey, models, containers: [] }
}

async function startHost(run: Run, { name, kind, engine = 'usual', behind, reboots }: HostWanted): Promise<KnownHost> {
  const spec = HOST_KINDS[kind]
  const keys = await sshKeysOf(run, name)
  const placement = {
    name,
    network: run.network,
    hidden: behind !== undefined,
    ...(reboots ? { port: await freePort() } : {}),
  }
  const containerId = await startContainer(imageOf(run.images, spec.image), spec, placement, keys)
  run.containers.push(containerId)
  const known: KnownHost = {
    name,
    containerId,
    address: behind === undefined ? '127.0.0.1' : name,
    port: behind === undefined ? await publishedPort(containerId) : 22,
    user: 'op',
    keyFile: run.clientKey.file,
    knownHostsFile: join(run.directory, 'known_hosts'),
    sshConfigFile: join(run.directory, 'ssh_config'),
    hostKey: keys.hostKeyPublic,
    ...(behind === undefined ? {} : { proxyJump: behind }),
  }
  const host = attach(known)
  await untilReady(host, spec, behind === undefined)
  if (spec.engine) await furnishNas(host, run.models, engine)
  if (kind === 'box') await furnishBox(host, run.models)
  if (kind === 'metal') await furnishMetal(host, run.models)
  return known
}

async function sshKeysOf({ directory, clientKey }: Run, name: string): Promise<SshKeys> {
  const { file, publicKey } = await createKey(directory, `host-${name}`)
  return { hostKey: await readFile(file, 'utf8'), hostKeyPublic: publicKey, authorizedKeys: clientKey.publicKey }
}

function labOf(run: Run, coordinates: readonly HostCoordinates[], wanted: readonly HostWanted[]): Lab {
  const hosts = coordinates.map(attach)
  const stop = (): Promise<void> => tearDown(run)
  const host = (name: string): LabHost => {
    const found = hosts.find((one) => one.name === name)
    if (found === undefined) throw new Error(`the lab has no host ${name}`)
    return found
  }
  return {
    hosts,
    coordinates,
    directory: run.directory,
    sshConfigFile: join(run.directory, 'ssh_config'),
    host,
    reboot: async (name) => {
      const kind = wanted.find((one) => one.name === name && one.reboots)?.kind
      if (kind === undefined) throw new Error(`${name} of the lab does not reboot`)
      await docker(['kill', host(name).containerId])
      await docker(['start', host(name).containerId])
      await untilReady(host(name), HOST_KINDS[kind], true)
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Also of a host that never became ready; one that a test stopped is gone already. What `docker run` could not start goes with the next sweep. */
async function tearDown({ containers, network, directory }: Run): Promise<void> {
  if (containers.length > 0) await docker(['rm', '--force', '--volumes', ...containers])
  if (network !== undefined) await docker(['network', 'rm', network])
  await rm(directory, { recursive: true, force: true })
}
