import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { Action } from '../../../src/model/action.ts'
import type { HostPlan, Plan } from '../../../src/model/plan.ts'
import type { RunReport } from '../../../src/model/report.ts'
import { type CallOptions, converge, environment, type Outcome } from './converge.ts'

type Fields = Readonly<Record<string, unknown>>
/** By host name as in the lab's ssh config: variables of the host, `services` among them. */
export type Hosts = Readonly<Record<string, Fields>>

/** A person's place: an inventory for hosts of the lab, a home with nothing in it, and the command line. */
export interface Site extends AsyncDisposable {
  readonly directory: string
  readonly inventory: string
  readonly home: string
  /** Replaces the inventory. */
  write(hosts: Hosts, fleet?: Fields): Promise<void>
  /** Runs a verb on the inventory. */
  run(args: readonly string[], options?: Omit<CallOptions, 'home'>): Promise<Outcome>
  /** The same, for who has to start it in another way. */
  arguments(args: readonly string[]): readonly string[]
  environment(env?: Readonly<Record<string, string>>): Record<string, string>
  dispose(): Promise<void>
}

/** RAM that the hosts of the lab have: they see that of the machine they run on. */
export const ramGib = Math.ceil(totalmem() / 1024 ** 3)

/** Small, so that the tests pass on a small machine; and whatever this machine has counts as small. */
const fleetOfTests = {
  org: 'lab',
  ports: { min: 9990, reserved: [9999, 11434] },
  headroom_gb: 1,
  small_ram_gb: Math.max(32, ramGib),
}

/** A key for a service, known to `run` by its name. */
export const serviceKey = 'lab-service-key-2718281828'

/** @param env set at every run */
export async function openSite(
  sshConfigFile: string,
  env: Readonly<Record<string, string>> = { LAB_KEY: serviceKey },
): Promise<Site> {
  const directory = await mkdtemp(join(tmpdir(), 'converge-e2e-'))
  const inventory = join(directory, 'inventory')
  const home = join(directory, 'home')
  await mkdir(join(inventory, 'group_vars'), { recursive: true })
  await mkdir(home)
  const dispose = () => rm(directory, { recursive: true, force: true })
  const complete = (args: readonly string[]) => {
    const [verb = ''] = args
    const hosts = [
      'facts',
      'plan',
      'apply',
      'upgrade',
      'resume',
      'verify',
      'status',
      'drift',
      'fetch',
      'prune',
      'adopt',
      'release',
      'logs',
      'start',
      'stop',
      'restart',
      'use',
    ].includes(verb)
    return [...args, '-i', inventory, ...(hosts ? ['--ssh-config', sshConfigFile] : [])]
  }
  return {
    directory,
    inventory,
    home,
    write: async (hosts, fleet = {}) => {
      await writeFile(join(inventory, 'group_vars/all.yaml'), stringify({ fleet: { ...fleetOfTests, ...fleet } }))
      await writeFile(join(inventory, 'hosts.yaml'), stringify({ all: { hosts } }))
    },
    run: (args, options = {}) => converge(complete(args), { ...options, home, env: { ...env, ...options.env } }),
    arguments: complete,
    environment: (more = {}) => environment({ home, env: { ...env, ...more } }),
    dispose,
    [Symbol.asyncDispose]: dispose,
  }
}

/** A host on which commands run as root. */
export function machine(services: Hosts = {}, more: Fields = {}): Fields {
  return { platform: 'linux', ansible_become: true, ...more, services }
}

/** For tests of what does not depend on how commands become those of root: sudo starts several processes for each. */
export const asRoot: Fields = { ansible_user: 'root', ansible_become: false }

/** The tiny model under a real server; its prompt cache is small, because a test must not need 8 GiB. */
export function kindA(more: Fields = {}): Fields {
  return {
    kind: 'A',
    port: 9990,
    model: { path: '/srv/models/tiny/tiny.gguf' },
    ctx_size: 2048,
    threads: 2,
    extra_args: ['--cache-ram', '64'],
    api_key: { env: 'LAB_KEY' },
    ready_timeout: 60,
    stop_timeout: 10,
    ...more,
  }
}

/** The double of Kind B; as the machine has it, it does not know `--no-browser`. */
export function kindB(more: Fields = {}): Fields {
  return {
    kind: 'B',
    port: 9997,
    ram_gb: 1,
    ctx: 16_384,
    interpreter: '/usr/bin/python3',
    executable: '/opt/kindb/serve',
    model: { path: '/srv/models/flagship' },
    api_key: { env: 'LAB_KEY' },
    no_browser: false,
    ready_timeout: 60,
    completion_timeout: 60,
    stop_timeout: 10,
    ...more,
  }
}

/** The exit code, with everything that was printed where it is another one. */
export function expectExit(outcome: Outcome, exitCode: number): Outcome {
  assert.equal(outcome.exitCode, exitCode, `exit code ${exitCode} was expected\n${outcome.transcript}`)
  return outcome
}

/** Applies without a question; the run looks at the hosts again and finds nothing left to do. */
export async function applied(site: Site, ...options: readonly string[]): Promise<RunReport> {
  const outcome = expectExit(await site.run(['apply', '-y', '--json', ...options]), 0)
  const report = outcome.report()
  assert.deepEqual(report.second_plan, { changes: 0, actions: [] }, outcome.transcript)
  return report
}

/** What a run planned before it changed anything. */
export function planOf({ plan }: RunReport): Plan {
  assert.ok(plan, 'the report has no plan')
  return plan
}

/** That all of these words were said; where one was not, with everything that was. */
export function expectWords(text: string, words: readonly (string | RegExp)[]): void {
  const missing = words.filter((word) => (typeof word === 'string' ? !text.includes(word) : !word.test(text)))
  assert.ok(missing.length === 0, `${missing.join(', ')} was not said\n${text}`)
}

export function hostPlan(plan: Plan, host: string): HostPlan {
  const found = plan.hosts.find((one) => one.host === host)
  if (found === undefined) throw new Error(`the plan has no host ${host}: ${JSON.stringify(plan)}`)
  return found
}

/** `start coder`, `update coder`: what is to be done on a host, in order. */
export function changesOn(plan: Plan, host: string): readonly string[] {
  return actionsOn(plan, host).map(({ kind, service }) => `${kind} ${service}`)
}

export function actionsOn(plan: Plan, host: string): readonly Action[] {
  return hostPlan(plan, host).actions.filter(({ kind }) => kind !== 'noop')
}

/** `CORUN.SECOND_KIND_A second`. */
export function refusalsOn(plan: Plan, host: string): readonly string[] {
  return hostPlan(plan, host).refusals.map(({ code, service }) => `${code} ${service ?? ''}`.trim())
}
