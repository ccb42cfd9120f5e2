import { GenericContainer, Wait } from 'testcontainers'
import type { KindSpec } from './host-kinds.ts'
import { OWNER_LABEL } from './leftovers.ts'

export interface Placement {
  readonly name: string
  readonly network: string
  /** Reached through the bastion only: nothing of it is published. */
  readonly hidden: boolean
  /** Of 127.0.0.1, where its SSH server is published; default: one that is free. */
  readonly port?: number
}

/** A container that can be a whole machine; reachable through a port of 127.0.0.1 and nothing else. */
export class LabContainer extends GenericContainer {
  readonly #hidden: boolean
  readonly #port: number

  constructor(image: string, spec: KindSpec, { name, network, hidden, port = 0 }: Placement) {
    super(image)
    this.#hidden = hidden
    this.#port = port
    this.withCommand([...spec.command])
      .withHostname(name)
      .withLabels({ [OWNER_LABEL]: String(process.pid) })
      // Root of a real machine has both, and the kernel asks for them where one process looks at another.
      .withAddedCapabilities('SYS_PTRACE', 'DAC_READ_SEARCH')
      .withWaitStrategy(Wait.forSuccessfulCommand('true'))
      .withNetworkMode(network)
    this.createOpts.NetworkingConfig = { EndpointsConfig: { [network]: { Aliases: [name] } } }
    if (!hidden) this.withExposedPorts(22)
    if (spec.systemd) this.#bootsSystemd()
    if (spec.engine) this.createOpts.Volumes = { '/var/lib/docker': {} }
  }

  #bootsSystemd(): void {
    this.withAddedCapabilities('SYS_ADMIN', 'NET_ADMIN')
      .withSecurityOpt('seccomp=unconfined', 'apparmor=unconfined')
      .withTmpFs({ '/run': '', '/tmp': '' })
      .withBindMounts([{ source: '/sys/fs/cgroup', target: '/sys/fs/cgroup', mode: 'rw' }])
    // The command line's `systempaths=unconfined`: a nested engine writes below /proc/sys.
    this.hostConfig.MaskedPaths = []
    this.hostConfig.ReadonlyPaths = []
    // The mount above shows the machine's own tree, so the names in /proc/self/cgroup must be the machine's too.
    Object.assign(this.hostConfig, { CgroupnsMode: 'host' })
  }

  protected override async beforeContainerCreated(): Promise<void> {
    if (!this.#hidden) this.hostConfig.PortBindings = { '22/tcp': [{ HostIp: '127.0.0.1', HostPort: String(this.#port) }] }
  }
}
