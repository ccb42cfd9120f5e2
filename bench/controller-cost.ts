import { writeFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildProbe } from '../src/facts/build-probe.ts'
import { sha256 } from '../src/lib/digest.ts'
import { shellQuote } from '../src/lib/shell-quote.ts'
import { startSshd } from '../test/support/sshd.ts'
import { type Measured, measure, median } from './measure.ts'

/** What `converge plan` costs the machine it runs on, per host, beside a bare connect and beside Ansible. See README.md. */
const hostCount = Number(process.argv[2] ?? 200)
const repeats = 3
const node = process.execPath
const preload = ['--import', new URL('./print-usage.ts', import.meta.url).href]

const scratch = await mkdtemp(join(tmpdir(), 'converge-bench-'))
const addresses = Array.from({ length: hostCount }, (_, i) => `127.0.${1 + Math.floor(i / 250)}.${1 + (i % 250)}`)
const sshd = await startSshd({ listen: '0.0.0.0', addresses, config: ['MaxStartups 2000:30:4000', 'UsePAM no'] })
const inventory = join(scratch, 'inventory.yaml')
await writeFile(inventory, inventoryText())

try {
  const converge = run('converge plan', [
    node,
    ...preload,
    'dist/main.js',
    'plan',
    '-i',
    inventory,
    '--ssh-config',
    sshd.sshConfig,
    '--json',
  ])
  const bare = run('bare ssh2', bareWith('exit 0\n'))
  const probing = run('bare, the probe', bareWith(probeText()))
  const ansible = run('ansible', ['ansible-playbook', '-i', inventory, '--forks', '32', 'bench/read-the-same.yaml'], {
    ANSIBLE_HOST_KEY_CHECKING: 'False',
    ANSIBLE_PIPELINING: 'True',
  })
  const version = run('--version', [node, 'dist/main.js', '--version'])
  const nothing = run('node -e 0', [node, '-e', '0'])
  say('controller processor time per host, plan', `${((converge.cpu / hostCount) * 1000).toFixed(1)} ms`)
  say('wall time against a bare connect + exec', ratio(converge.wall, bare.wall))
  say('wall time against a bare one that runs the probe', ratio(converge.wall, probing.wall))
  say('processor time against a bare connect + exec', ratio(converge.cpu, bare.cpu))
  say('processor time against a bare one with the probe', ratio(converge.cpu, probing.cpu))
  say('Ansible: wall time', ratio(ansible.wall, converge.wall))
  say('Ansible: processor time', ratio(ansible.cpu, converge.cpu))
  say('memory', `${((converge.rss ?? 0) / 2 ** 20).toFixed(0)} MiB`)
  say('--version against node -e 0', ratio(version.wall, nothing.wall))
} finally {
  await sshd.stop()
  await rm(scratch, { recursive: true, force: true })
}

function bareWith(script: string): readonly string[] {
  const file = join(scratch, `${sha256(script).slice(0, 8)}.sh`)
  writeFileSync(file, script)
  return [node, ...preload, 'bench/bare-connect.ts', String(sshd.port), sshd.keyFile, file, ...addresses]
}

/** What converge sends, without its supervisor. */
function probeText(): string {
  const { script, args } = buildProbe({
    host: 'h0',
    org: 'bench',
    salt: 'bench',
    definitions: ['/etc/converge/compose/coder/compose.yaml'],
    keyFiles: [],
    models: ['/srv/models/coder.gguf'],
    fetches: [],
    disks: [],
    power: false,
    executables: [],
    programs: [],
    units: [],
    images: [],
    containers: [],
    environment: [],
    http: [],
  })
  return `set -- ${shellQuote(args)}\n${script}\n`
}

function run(name: string, words: readonly string[], env?: Record<string, string>): Measured {
  const count = name === 'ansible' ? 1 : repeats
  const runs = Array.from({ length: count }, () => measure(words, scratch, env))
  const result = median(runs)
  console.log(`${name.padEnd(16)} wall ${result.wall.toFixed(2)} s  cpu ${result.cpu.toFixed(2)} s  exit ${result.status}`)
  return result
}

function say(label: string, figure: string): void {
  console.log(`${label.padEnd(50)} ${figure}`)
}

function ratio(a: number, b: number): string {
  return `${(a / b).toFixed(2)} ×`
}

function inventoryText(): string {
  const hosts = addresses.map((address, i) => `    h${i}: { ansible_host: ${address} }\n`).join('')
  return `all:
  vars:
    ansible_port: ${sshd.port}
    ansible_user: root
    ansible_ssh_private_key_file: ${sshd.keyFile}
    fleet: { org: bench }
    services:
      coder: { kind: A, port: 9990, model: { path: /srv/models/coder.gguf } }
  hosts:
${hosts}`
}
