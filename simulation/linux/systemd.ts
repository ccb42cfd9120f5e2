import { lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Service } from './service.ts'
import { type ServiceHost, signalGroup } from './service-process.ts'
import { readFromNow, readUnitFile } from './unit-file.ts'

/** The system manager: the units in its memory, and those that start at boot. */
export class Systemd {
  readonly host: ServiceHost
  readonly #services = new Map<string, Service>()
  /** Units that were enabled at the last reload: they stay in memory although they do not run. */
  #wanted: ReadonlySet<string> = new Set()

  constructor(host: ServiceHost) {
    this.host = host
  }

  /** Unloads a unit that neither runs nor has failed nor starts at boot; every query reads it again. */
  service(name: string): Service {
    const held = this.#services.get(name)
    if (held !== undefined && (held.state !== 'dead' || this.#wanted.has(name))) return held
    const read = new Service(readUnitFile(this.host.root, name), this.host)
    this.#services.set(name, read)
    return read
  }

  /** Whether it is in memory already. */
  holds(name: string): boolean {
    const held = this.#services.get(name)
    return held !== undefined && (held.state !== 'dead' || this.#wanted.has(name))
  }

  get services(): readonly Service[] {
    return [...this.#services.keys()].filter((name) => this.holds(name)).map((name) => this.service(name))
  }

  reload(): void {
    for (const [name, service] of this.#services) {
      if (service.state === 'dead') this.#services.delete(name)
      else service.unit = { ...this.#reread(service), name }
    }
    this.#wanted = new Set(listing(this.#wants('multi-user.target')))
    for (const name of this.#wanted) this.service(name)
  }

  /** A running service without a unit file keeps its old definition. */
  #reread(service: Service): Service['unit'] {
    const read = readUnitFile(this.host.root, service.unit.name)
    return read.loadState === 'loaded' ? read : { ...service.unit, ...onlyFiles(read) }
  }

  needsReload(service: Service): boolean {
    return readFromNow(this.host.root, service.unit.name) !== service.unit.readFrom
  }

  /** Empty: no such unit file exists. */
  unitFileState(name: string): 'enabled' | 'disabled' | 'static' | 'masked' | '' {
    const { loadState, wantedBy } = readUnitFile(this.host.root, name)
    if (loadState === 'not-found') return ''
    if (loadState === 'masked') return 'masked'
    if (wantedBy.length === 0) return 'static'
    return wantedBy.some((target) => exists(join(this.#wants(target), name))) ? 'enabled' : 'disabled'
  }

  /** The links that were created, and their targets. */
  enable(name: string): readonly (readonly [link: string, target: string])[] {
    const { wantedBy, fragmentPath } = readUnitFile(this.host.root, name)
    const made = wantedBy.map((target) => join(this.#wants(target), name)).filter((link) => !exists(link))
    for (const link of made) {
      mkdirSync(join(link, '..'), { recursive: true })
      symlinkSync(fragmentPath, link)
    }
    return made.map((link) => [link, fragmentPath])
  }

  /** The links that were removed. */
  disable(name: string): readonly string[] {
    const folder = join(this.host.root, '/etc/systemd/system')
    const links = listing(folder)
      .filter((one) => one.endsWith('.wants'))
      .map((one) => join(folder, one, name))
      .filter(exists)
    for (const link of links) rmSync(link)
    return links
  }

  /** Of the main processes of services. */
  pids(): readonly number[] {
    return [...this.#services.values()].flatMap(({ main }) => main?.pid ?? [])
  }

  /** Leaves nothing behind. */
  async shutDown(): Promise<void> {
    const services = [...this.#services.values()]
    const stopped = services.map((service) => service.stop())
    for (const { main } of services) if (main !== undefined) signalGroup(main.pid, 'SIGKILL')
    await Promise.all(stopped)
  }

  #wants(target: string): string {
    return join(this.host.root, '/etc/systemd/system', `${target}.wants`)
  }
}

function onlyFiles(read: Service['unit']): Pick<Service['unit'], 'loadState' | 'fragmentPath' | 'dropIns' | 'readFrom'> {
  const { loadState, fragmentPath, dropIns, readFrom } = read
  return { loadState, fragmentPath, dropIns, readFrom }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function listing(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
