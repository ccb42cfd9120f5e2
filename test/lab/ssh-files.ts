import { writeFile } from 'node:fs/promises'
import type { HostCoordinates } from './host.ts'

/** A host with the public half of its host key: known before the first contact, since the lab made the key. */
export interface KnownHost extends HostCoordinates {
  readonly hostKey: string
  readonly proxyJump?: string
}

/** Writes the known_hosts and config files that `ssh -F` (and converge) can use. */
export async function writeSshFiles(hosts: readonly KnownHost[]): Promise<void> {
  const [first] = hosts
  if (first === undefined) return
  await writeFile(first.knownHostsFile, hosts.map(knownHostsLine).join(''))
  await writeFile(first.sshConfigFile, configBlocks(hosts, first))
}

function knownHostsLine({ address, port, hostKey }: KnownHost): string {
  const [type, key] = hostKey.split(' ')
  return `${port === 22 ? address : `[${address}]:${port}`} ${type} ${key}\n`
}

/** By name, and for an inventory that says `ansible_host: 127.0.0.1` by the address too. */
function configBlocks(hosts: readonly KnownHost[], first: KnownHost): string {
  const named = hosts.map((host) => {
    const { address: HostName, port: Port, user: User, proxyJump: ProxyJump } = host
    return block(host.name, { HostName, Port, User, ...trust(host), ...(ProxyJump === undefined ? {} : { ProxyJump }) })
  })
  return [...named, block('127.0.0.1', trust(first))].join('\n')
}

function trust({ keyFile, knownHostsFile }: KnownHost): Options {
  return {
    IdentityFile: keyFile,
    IdentitiesOnly: 'yes',
    UserKnownHostsFile: knownHostsFile,
    GlobalKnownHostsFile: '/dev/null',
    StrictHostKeyChecking: 'yes',
  }
}

type Options = Readonly<Record<string, string | number>>

function block(name: string, options: Options): string {
  return [`Host ${name}\n`, ...Object.entries(options).map(([option, value]) => `  ${option} ${value}\n`)].join('')
}
