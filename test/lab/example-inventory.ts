import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { LabHost } from './host.ts'
import type { Lab } from './hosts.ts'

const KEY_FILE_MODE = 0o600

/** Writes an inventory for the hosts of a running lab, with a Kind A on the NAS and a Kind B on the box. */
export async function writeExampleInventory(lab: Lab): Promise<string> {
  const inventory = join(lab.directory, 'inventory')
  const keyFile = join(lab.directory, 'service.key')
  await mkdir(join(inventory, 'group_vars'), { recursive: true })
  await writeFile(keyFile, 'lab-service-key\n', { mode: KEY_FILE_MODE })
  await writeFile(join(inventory, 'group_vars/all.yaml'), stringify({ fleet: FLEET }))
  const hosts = Object.fromEntries(lab.hosts.map((host) => [host.name, { ...connection(host), ...services(host, keyFile) }]))
  await writeFile(join(inventory, 'hosts.yaml'), stringify({ all: { hosts } }))
  return inventory
}

const FLEET = { org: 'lab', ports: { min: 9990, reserved: [9999, 11434] }, headroom_gb: 4, small_ram_gb: 32 }

function connection(host: LabHost): Record<string, unknown> {
  return {
    platform: 'linux',
    ansible_host: host.address,
    ansible_port: host.port,
    ansible_user: host.user,
    ansible_ssh_private_key_file: host.keyFile,
    ...(host.name === 'busybox' ? {} : { ansible_become: true }),
  }
}

function services(host: LabHost, keyFile: string): Record<string, unknown> {
  const api_key = { file: keyFile }
  if (host.name === 'nas') return { services: { coder: { ...TINY, api_key } } }
  if (host.name === 'box') return { services: { flagship: { ...FLAGSHIP, api_key } } }
  return {}
}

const TINY = { kind: 'A', port: 9990, alias: 'coder', model: { path: '/srv/models/tiny/tiny.gguf' }, ctx_size: 2048, threads: 2 }

const FLAGSHIP = {
  kind: 'B',
  port: 9997,
  ram_gb: 8,
  ctx: 16384,
  interpreter: '/usr/bin/python3',
  executable: '/opt/kindb/serve',
  model: { path: '/srv/models/flagship' },
  env_prefix: 'SRV',
}
