import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { type Context, createContext } from '../../../src/context/context.ts'
import { ConvergeError } from '../../../src/errors/converge-error.ts'
import type { RunReport } from '../../../src/model/report.ts'
import { applyRun, carryOut } from '../../../src/run/apply-run.ts'
import { planRequest } from '../../../src/run/plan-only.ts'
import { type HostFlags, runOver } from '../../../src/run/run.ts'
import { lockInventory } from '../../../src/state/controller-lock.ts'
import { findResumption } from '../../../src/state/resumption.ts'
import { newRun } from '../../../src/state/run-identity.ts'
import { systemClock } from '../../../src/time/clock.ts'
import type { Transport } from '../../../src/transports/transport.ts'
import { hopelessCtxSize, type Services } from './scenarios.ts'
import type { Stage } from './stage.ts'

/** How a run ended, or that it did not. */
export interface Ran {
  /** Undefined: it was killed. */
  readonly code: number | undefined
  readonly report: RunReport | undefined
  /** All of its output, for debugging. */
  readonly output: string
}

/** A person with an inventory of one host, who runs converge in this process: separate processes would take most of the time. */
export interface Person extends AsyncDisposable {
  write(services: Services): Promise<void>
  apply(host: Transport): Promise<Ran>
  /** Resumes the last interrupted run; a plain apply if there is none. */
  resume(host: Transport): Promise<Ran>
}

/** Ends a killed run: the program must not take it for an error of a host. */
export class Killed extends Error {}

export async function openPerson(stage: Stage, ports: readonly [number, number]): Promise<Person> {
  const folder = await mkdtemp(join(tmpdir(), 'person-'))
  const inventory = join(folder, 'fleet.yaml')
  const flags: HostFlags = { inventory, forks: 1, timeout: 60, json: true, quiet: true }
  const run = async (work: (context: Context) => Promise<number>): Promise<Ran> => {
    const said: string[] = []
    const context = contextOf(folder, said)
    try {
      const code = await work(context)
      const report = reportIn(said)
      return { code, report, output: report === undefined ? said.join('') : inShort(report) }
    } catch (error) {
      if (error instanceof Killed) return { code: undefined, report: undefined, output: said.join('') }
      if (error instanceof ConvergeError)
        return { code: 4, report: undefined, output: `${said.join('')}${error.code}: ${error.why}` }
      throw error
    }
  }
  const apply = (host: Transport): Promise<Ran> =>
    run((context) =>
      runOver(
        async () => host,
        context,
        flags,
        (one) => applyRun(one, { playbook: undefined, approvals: [], confirmed: true }),
      ),
    )
  return {
    write: (services) => writeFile(inventory, inventoryOf(stage, ports, services)),
    apply,
    resume: async (host) => {
      const resumes = await findResumption(contextOf(folder, []), await realpath(inventory), undefined)
      if (resumes === undefined || resumes.hosts.length === 0) return apply(host)
      return run((context) =>
        runOver(
          async () => host,
          context,
          { ...flags, hosts: resumes.hosts },
          async (one) => {
            const identity = newRun(context)
            await using lock = await lockInventory(context, { inventory: await realpath(inventory), holder: identity })
            const source = { playbook: undefined, approvals: [], resumes }
            const request = await planRequest(one, source)
            return await carryOut(one, { identity, lock, confirmed: true, lockTimeoutMs: undefined, source, request })
          },
        ),
      )
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

function contextOf(folder: string, said: string[]): Context {
  const never = new AbortController().signal
  const real = createContext(process, { signal: never, force: never }, ['apply', '-y'])
  const output = {
    ...real.out,
    isTerminal: false,
    write: (text: string) => void said.push(text),
    writeProse: (text: string) => void said.push(text),
    writeJson: async (document: unknown) => void said.push(`${JSON.stringify(document)}\n`),
  }
  const env = { CODER_KEY: 'k3y-of-the-matrix', CONVERGE_STATE_DIR: join(folder, 'state'), PATH: process.env['PATH'] }
  return { ...real, env, cwd: folder, home: folder, out: output, err: output, clock: systemClock }
}

function reportIn(said: readonly string[]): RunReport | undefined {
  const text = said.find((one) => one.startsWith('{"schema":"converge/report/'))
  return text === undefined ? undefined : JSON.parse(text)
}

/** What a run did, without its plan. */
function inShort({ plan, hosts, second_plan: second }: RunReport): string {
  const refused = plan?.hosts.flatMap(({ refusals }) => refusals.map(({ code, why }) => `${code}: ${why}`))
  const outcomes = hosts.map(({ actions, smoke, problem }) => ({
    actions: actions.map(({ action, status, undone, left, problem: why }) => ({
      action,
      status,
      undone,
      left,
      why: why?.code,
      because: why?.why,
    })),
    unproved: smoke.filter(({ ok }) => !ok),
    problem: problem?.why,
  }))
  return JSON.stringify({ refused, outcomes, second }, undefined, 1)
}

function inventoryOf({ variables, server }: Stage, ports: readonly [number, number], services: Services): string {
  const written = Object.entries(services).map(([name, { port, ctxSize, absent }]) => [
    name,
    {
      ...server,
      kind: 'A',
      state: absent === true ? 'absent' : 'running',
      port: ports[port],
      host: '127.0.0.1',
      ctx_size: ctxSize,
      extra_args: ['--cache-ram', '64'],
      api_key: { env: 'CODER_KEY' },
      ready_timeout: ctxSize === hopelessCtxSize ? 5 : 60,
      stop_timeout: 10,
    },
  ])
  const host = { ansible_host: '127.0.0.1', ...variables, services: Object.fromEntries(written) }
  return stringify({ all: { vars: { fleet: { org: 'example', headroom_gb: 1 } }, hosts: { host } } })
}
