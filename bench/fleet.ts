import { buildProbe } from '../src/facts/build-probe.ts'
import { questionFor } from '../src/facts/question.ts'
import { shellQuote } from '../src/lib/shell-quote.ts'
import { loadInventory } from '../src/load/load.ts'
import { managers } from '../src/managers/index.ts'

/** An SSH server that answers at many addresses of this machine, and the client's files. */
export interface Server {
  readonly port: number
  readonly keyFile: string
  readonly sshConfig: string
  readonly addresses: readonly string[]
}

/** Different hosts, as far as a client can tell: at most 250 in each network of 127.0.0.0/8. */
export function addressesOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `127.${1 + Math.floor(i / 62500)}.${Math.floor(i / 250) % 250}.${1 + (i % 250)}`)
}

export function inventoryText({ port, keyFile, addresses }: Server, services: readonly string[]): string {
  return `all:
  vars:
    ansible_port: ${port}
    ansible_user: root
    ansible_ssh_private_key_file: ${keyFile}
    fleet: { org: bench }
    services:
${services.map(serviceText).join('')}  hosts:
${addresses.map((address, index) => `    h${index}: { ansible_host: ${address} }\n`).join('')}`
}

function serviceText(name: string, index: number): string {
  return `      ${name}: { kind: A, port: ${9990 + index}, model: { path: /srv/models/${name}.gguf } }\n`
}

/** What `converge plan` sends to the first host of an inventory, without what watches over it there. */
export async function probeText(inventory: string): Promise<string> {
  const { fleet } = await loadInventory(inventory)
  const [host] = fleet.hosts
  if (host === undefined) throw new Error('the inventory has no host')
  const { script, args } = buildProbe(questionFor(host, fleet, managers, 'bench'))
  return `set -- ${shellQuote(args)}\n${script}\n`
}
