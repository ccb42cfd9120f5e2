import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { measure } from './measure.ts'

/** `converge plan` over hosts that an SSH server with a canned answer stands for, in one process: whether time and memory grow no faster than they do. */
const counts = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [400, 1000, 10_000]
const preload = ['--import', new URL('./print-usage.ts', import.meta.url).href]

for (const count of counts) {
  const scratch = mkdtempSync(join(tmpdir(), 'converge-bench-'))
  const server = spawn(process.execPath, [new URL('./canned-server.ts', import.meta.url).pathname, String(count)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    const [line] = await once(createInterface(server.stdout), 'line')
    const files: CannedServer = JSON.parse(String(line))
    const inventory = join(scratch, 'inventory.yaml')
    writeFileSync(inventory, inventoryText(files))
    const words = ['dist/main.js', 'plan', '-i', inventory, '--ssh-config', files.sshConfig, '--json']
    const state = { CONVERGE_STATE_DIR: join(scratch, 'state') }
    const { wall, cpu, rss = 0, status } = measure([process.execPath, ...preload, ...words], scratch, state)
    const perHost = ((cpu / count) * 1000).toFixed(1)
    console.log(
      JSON.stringify({
        hosts: count,
        wall_s: wall,
        cpu_s: cpu,
        cpu_ms_per_host: Number(perHost),
        rss_mib: rss / 2 ** 20,
        status,
      }),
    )
  } finally {
    server.stdin.end()
    await once(server, 'exit')
    rmSync(scratch, { recursive: true, force: true })
  }
}

interface CannedServer {
  readonly port: number
  readonly keyFile: string
  readonly sshConfig: string
  readonly addresses: readonly string[]
}

function inventoryText({ port, keyFile, addresses }: CannedServer): string {
  return `all:
  vars:
    ansible_port: ${port}
    ansible_user: root
    ansible_ssh_private_key_file: ${keyFile}
    fleet: { org: bench }
    services:
      coder: { kind: A, port: 9990, model: { path: /srv/models/coder.gguf } }
      writer: { kind: A, port: 9991, model: { path: /srv/models/writer.gguf } }
  hosts:
${addresses.map((address, index) => `    h${index}: { ansible_host: ${address} }\n`).join('')}`
}
