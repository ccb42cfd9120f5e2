import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { stringify } from 'yaml'
import { writeHollowModel } from '../simulation/demo/models.ts'
import { startLinuxBox } from '../simulation/linux/box.ts'
import { startSshServer } from '../simulation/ssh-server.ts'
import { measure } from './measure.ts'
import { mebibytes } from './table.ts'

/** What `converge status --watch` costs the machine it runs on: simulated Linux boxes over SSH, whose servers are real processes. See README.md. */
const [boxCount = 10, perBox = 3] = process.argv.slice(2).map(Number)
/** The first seconds of a watch log in and gather facts: two lengths of it differ by what goes on. */
const [shortS, longS] = [25, 85]
const firstPort = 21_000

await using all = new AsyncDisposableStack()
const scratch = await mkdtemp(join(tmpdir(), 'converge-bench-'))
all.defer(() => rm(scratch, { recursive: true, force: true }))
const env = { PATH: process.env['PATH'] ?? '', HOME: scratch, CONVERGE_STATE_DIR: join(scratch, 'state'), TERM: 'xterm-256color' }

const hosts: Record<string, object> = {}
for (let index = 0; index < boxCount; index += 1) {
  const box = all.use(await startLinuxBox({ pace: 20 }))
  const ssh = all.use(await startSshServer({ loginShell: box.loginShell, output: () => box.output(), user: box.user }))
  await writeHollowModel(box.path('/srv/models/small.gguf'), { gigabytes: 1, layers: 8, headsKv: 2 })
  const service = (number: number) => ({
    kind: 'A',
    manager: 'systemd',
    port: firstPort + index * perBox + number,
    executable: '/usr/local/bin/llama-server',
    model: { path: '/srv/models/small.gguf' },
    host: '127.0.0.1',
    ctx_size: 512,
  })
  hosts[`box${index}`] = {
    ansible_host: '127.0.0.1',
    ansible_port: ssh.port,
    ansible_user: ssh.user,
    ansible_ssh_private_key_file: ssh.keyFile,
    ansible_ssh_common_args: `-F ${ssh.sshConfig}`,
    ansible_become: true,
    platform: 'linux',
    services: Object.fromEntries(Array.from({ length: perBox }, (_, number) => [`coder${number}`, service(number)])),
  }
}
const inventory = join(scratch, 'fleet.yaml')
await writeFile(inventory, stringify({ all: { vars: { fleet: { org: 'bench', headroom_gb: 1 } }, hosts } }))

const applied = await converge(['apply', '-y', '--quiet', '--forks', '2', '--timeout', '300', '-i', inventory])
console.log(`apply: exit ${applied.code}`)
if (process.env['BENCH_KEEP'] !== undefined) {
  console.log(`CONVERGE_INVENTORY=${inventory} CONVERGE_STATE_DIR=${env.CONVERGE_STATE_DIR}`)
  await sleep(2 ** 31 - 1)
}
const watch = [process.execPath, 'dist/main.js', 'status', '-w', '-i', inventory]
for (const [about, wordsFor] of [
  ['a live table', (seconds: number) => ['script', '-qec', interrupted(seconds, watch).join(' '), '/dev/null']],
  ['JSON', (seconds: number) => interrupted(seconds, [...watch, '--json'])],
] as const) {
  // `timeout` ends with 124.
  const [short, long] = [
    await measure({ words: wordsFor(shortS), env, exit: 124 }),
    await measure({ words: wordsFor(longS), env, exit: 124 }),
  ]
  const share = ((long.cpu - short.cpu) / (longS - shortS)) * 100
  console.log(
    `${about}: ${boxCount * perBox} services on ${boxCount} hosts at 2 s: ${share.toFixed(1)} % of a core, ${mebibytes(long.memory)}`,
  )
}

function interrupted(seconds: number, words: readonly string[]): readonly string[] {
  return ['timeout', '--foreground', '--signal=INT', String(seconds), ...words]
}

async function converge(args: readonly string[]): Promise<{ readonly code: number | null }> {
  const child = spawn(process.execPath, ['dist/main.js', ...args], { env, stdio: ['ignore', 'inherit', 'inherit'] })
  const [code]: (number | null)[] = await once(child, 'exit')
  return { code: code ?? null }
}
