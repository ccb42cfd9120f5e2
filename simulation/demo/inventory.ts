import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServicePorts } from './ports.ts'

export const hostNames = ['mini', 'studio', 'box'] as const
export type HostName = (typeof hostNames)[number]

/** What the inventory is written for. */
export interface InventoryPlaces {
  readonly folder: string
  readonly sshConfig: string
  /** Holds the key of every server. */
  readonly keyFile: string
  readonly macs: Readonly<Record<'mini' | 'studio', { readonly llamaServer: string; readonly home: string }>>
  /** The hosts are one machine, so each server has a port of its own. */
  readonly ports: ServicePorts
}

/** Writes the inventory with two mistakes in it. */
export async function writeInventory(places: InventoryPlaces): Promise<void> {
  const { folder, sshConfig } = places
  for (const name of ['group_vars', 'host_vars']) await mkdir(join(folder, name), { recursive: true })
  await writeFile(join(folder, 'group_vars/all.yaml'), 'fleet:\n  org: example\n')
  await writeFile(join(folder, 'hosts.yaml'), hostsText(sshConfig))
  for (const host of hostNames) await writeFile(hostFile(folder, host), hostTexts[host](places))
}

export function hostFile(folder: string, host: HostName): string {
  return join(folder, 'host_vars', `${host}.yaml`)
}

/** A line of the inventory that a plan refuses, and its correction. */
export interface Correction {
  readonly host: HostName
  readonly old: string
  readonly new: string
}

export const corrections: readonly Correction[] = [
  { host: 'mini', old: '  writer:\n    kind: A\n', new: '  writer:\n    kind: A\n    state: absent\n' },
  { host: 'studio', old: '    n_gpu_layers: 99\n', new: '    n_gpu_layers: 0\n' },
]

const hostsText = (sshConfig: string) => `all:
  vars:
    ansible_user: op
    ansible_ssh_common_args: -F ${sshConfig}
  hosts: { mini: , studio: , box: }
`

const hostTexts: Readonly<Record<HostName, (places: InventoryPlaces) => string>> = {
  mini: ({ macs: { mini }, ports, keyFile }) => `# A Mac with 32 GB
platform: macos
services:
  coder:
    kind: A
    port: ${ports.coder}
    host: 127.0.0.1
    executable: ${mini.llamaServer}
    model: { path: ${mini.home}/models/coder-14b.gguf }
    ctx_size: 16384
    extra_args: ["--cache-ram", "512"]
    api_key: { file: ${keyFile} }
  writer:
    kind: A
    port: ${ports.writer}
    host: 127.0.0.1
    executable: ${mini.llamaServer}
    model: { path: ${mini.home}/models/writer-8b.gguf }
    ctx_size: 16384
    extra_args: ["--cache-ram", "512"]
    api_key: { file: ${keyFile} }
`,
  studio: ({ macs: { studio }, ports, keyFile }) => `# A Mac with 512 GB and a mixture-of-experts model of 380 GB
platform: macos
services:
  giant:
    kind: A
    port: ${ports.giant}
    host: 127.0.0.1
    executable: ${studio.llamaServer}
    model: { path: ${studio.home}/models/giant-256x9b.gguf }
    ctx_size: 65536
    n_gpu_layers: 99
    api_key: { file: ${keyFile} }
`,
  box: ({ ports, keyFile }) => `# A Linux box with a large quantised model
platform: linux
ansible_become: true
services:
  flagship:
    kind: B
    port: ${ports.flagship}
    host: 127.0.0.1
    ctx: 16384
    ram_gb: 90
    no_browser: false  # this coli has no option --no-browser
    executable: /opt/kindb/serve
    model: { path: /srv/models/flagship }
    api_key: { file: ${keyFile} }
`,
}
