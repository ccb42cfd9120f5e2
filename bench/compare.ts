import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startSshd } from '../test/support/sshd.ts'
import { addressesOf, inventoryText, probeText } from './fleet.ts'
import { type Measured, measureInTurns, median, type Program } from './measure.ts'
import { mebibytes, table } from './table.ts'
import { type Comparison, type Figure, figures, type Ratios, worsened } from './worsened.ts'

/** `converge plan` beside the least that ssh2 can do, Ansible and pyinfra, over many addresses of one real sshd. See README.md. */
const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '5' },
    beside: { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
    check: { type: 'boolean', default: false },
  },
})
const [hosts, rounds] = [Number(values.hosts), Number(values.rounds)]
if (!(hosts >= 1 && rounds >= 1)) throw new Error('--hosts and --rounds take whole numbers from 1')
const acceptedFile = new URL('accepted.json', import.meta.url)
const accepted: Comparison | undefined = values.check ? JSON.parse(readFileSync(acceptedFile, 'utf8')) : undefined

/** What Ansible's `setup` reads, roughly. */
const pyinfraFacts = ['Cpus', 'Memory', 'BlockDevices', 'NetworkDevices']
  .map((name) => `hardware.${name}`)
  .concat(['Kernel', 'LinuxDistribution', 'Mounts', 'Users'].map((name) => `server.${name}`))
const base = 'bare ssh2 with the probe'
await using started = new AsyncDisposableStack()
const scratch = mkdtempSync(join(tmpdir(), 'converge-bench-'))
started.defer(() => rmSync(scratch, { recursive: true }))
const addresses = addressesOf(hosts)
// An empty home: what a login shell reads at its start is no part of any program.
const sshd = started.use(await startSshd({ listen: '0.0.0.0', addresses, config: [`SetEnv HOME=${scratch}`] }))
let logins = 0
const measured = await measureInTurns(await programs(), rounds, checkLogins)
const comparison: Comparison = {
  date: new Date().toISOString().slice(0, 10),
  machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release().split('-')[0]}, Node ${process.versions.node}`,
  hosts,
  rounds,
  ratios: Object.fromEntries([...measured].map(([name, runs]) => [name, ratiosOf(runs)])),
}
const ratioTitles = Object.keys(figures).map((figure) => `${figure}, ×`)
console.log(`${hosts} hosts, medians of ${rounds} rounds, ${comparison.machine}\n`)
console.log(
  table(
    ['', 'wall', 'CPU', 'CPU per host', 'memory', ...ratioTitles],
    [...measured].map(([name, runs]) => rowOf(name, runs)),
  ),
)
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(comparison, null, 2)}\n`)
if (accepted !== undefined) check(accepted)

async function programs(): Promise<Readonly<Record<string, Program>>> {
  const inventory = scratchFile('inventory.yaml', inventoryText({ ...sshd, addresses }, ['coder']))
  const bare = (script: string) => [
    process.execPath,
    'bench/bare-connect.ts',
    String(sshd.port),
    sshd.keyFile,
    script,
    ...addresses,
  ]
  const forAnsible = { ANSIBLE_HOST_KEY_CHECKING: 'False', ANSIBLE_PIPELINING: 'True', ANSIBLE_HOME: join(scratch, 'ansible') }
  const plan = (main: string): Program => ({
    words: [process.execPath, main, 'plan', '-i', inventory, '--ssh-config', sshd.sshConfig, '--json'],
    env: { CONVERGE_STATE_DIR: mkdtempSync(join(scratch, 'state-')) },
    // The model is missing, so the plan refuses.
    exit: 3,
  })
  return {
    'converge plan': plan('dist/main.js'),
    ...Object.fromEntries(values.beside.map((main) => [`converge plan, ${main}`, plan(main)])),
    [base]: { words: bare(scratchFile('probe.sh', await probeText(inventory))) },
    'bare ssh2': { words: bare(scratchFile('nothing.sh', 'exit 0\n')) },
    ...installed('ansible', 'Ansible setup', ['-i', inventory, '--forks', '32', '-m', 'setup', 'all'], forAnsible),
    ...installed('pyinfra', 'pyinfra fact', ['--parallel', '32', pyinfraInventory(), 'fact', ...pyinfraFacts]),
  }
}

/** Programs of others. Nothing, and a note, where one is not installed. */
function installed(program: string, name: string, args: readonly string[], env = {}): Readonly<Record<string, Program>> {
  const isThere = spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
  if (isThere) return { [name]: { words: [program, ...args], env, isSlow: true } }
  console.error(`${program} is not installed, so the table has no row of it.`)
  return {}
}

function pyinfraInventory(): string {
  const login = { ssh_port: sshd.port, ssh_user: 'root', ssh_key: sshd.keyFile, ssh_known_hosts_file: sshd.knownHosts }
  return scratchFile('hosts.py', `hosts = (${JSON.stringify(addresses)}, ${JSON.stringify(login)})\n`)
}

function scratchFile(name: string, text: string): string {
  const file = join(scratch, name)
  writeFileSync(file, text)
  return file
}

/** A program that leaves hosts out may still end well. */
async function checkLogins(name: string): Promise<void> {
  const before = logins
  logins = (await sshd.log()).split('Accepted publickey').length - 1
  if (logins - before < hosts) throw new Error(`${name} logged in to ${logins - before} of ${hosts} hosts`)
}

/** Each round's own, so that a machine that is busier in some rounds changes little. */
function ratiosOf(runs: readonly Measured[]): Ratios {
  const bases = measured.get(base) ?? []
  const ratio = (figure: Figure) => median(runs.map((run, round) => run[figure] / (bases[round]?.[figure] ?? Number.NaN)))
  return { wall: rounded(ratio('wall')), cpu: rounded(ratio('cpu')), memory: rounded(ratio('memory')) }
}

function rounded(ratio: number): number {
  return Number(ratio.toFixed(3))
}

function rowOf(name: string, runs: readonly Measured[]): readonly string[] {
  const middle = (figure: Figure) => median(runs.map((run) => run[figure]))
  const times = [
    `${middle('wall').toFixed(2)} s`,
    `${middle('cpu').toFixed(2)} s`,
    `${((middle('cpu') / hosts) * 1000).toFixed(1)} ms`,
  ]
  return [name, ...times, mebibytes(middle('memory')), ...Object.values(ratiosOf(runs)).map((ratio) => ratio.toFixed(2))]
}

function check(before: Comparison): void {
  const sentences = worsened(before, comparison)
  const source = `the ratios that were accepted on ${before.date} on ${before.machine}`
  if (sentences.length === 0) return console.log(`Nothing is more than 20 % worse than ${source}.`)
  console.log([`Compared with ${source}:`, ...sentences].join('\n'))
  console.log('If that is meant, or the machine is another one: node bench/compare.ts --json bench/accepted.json')
  process.exitCode = 1
}
