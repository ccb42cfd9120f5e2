import { userInfo } from 'node:os'
import { type ExitCode, exitCodes, worstOf } from '../context/exit-code.ts'
import { classesOf, compareFleet } from '../drift/compare-fleet.ts'
import { proposedIgnores } from '../drift/proposed-ignores.ts'
import { defined } from '../lib/defined.ts'
import type { DriftClass, DriftDocument } from '../model/drift.ts'
import { renderDrift } from '../report/drift-text.ts'
import { overviewOfDrift } from '../report/overview-of-drift.ts'
import type { Surroundings } from '../report/overview-of-plan.ts'
import type { Paint } from '../report/paint.ts'
import { readLastDrift } from '../state/last-drift.ts'
import { newRunId } from '../state/run-identity.ts'
import { conclude } from './conclude.ts'
import { noteOutcomes, type SeenFetch } from './fetch-outcomes.ts'
import type { PlanningRun } from './planning-run.ts'
import { readyHubs } from './ready-hubs.ts'
import { unseenExit } from './unseen-exit.ts'

export const driftClasses: readonly DriftClass[] = ['drift', 'pending', 'both', 'foreign']

/** Changes made on a host, not changes that wait to be applied. */
export const failOnDefault: readonly DriftClass[] = ['drift', 'foreign']

export interface DriftOptions {
  readonly failOn?: readonly DriftClass[] | undefined
  /** Print nothing if the findings are the same as last time. */
  readonly changed?: true | undefined
  /** Print `drift_ignore` entries instead of the report. */
  readonly writeIgnore?: true | undefined
}

/** Gathers facts, compares, prints. The exit code reports findings even if nothing is printed. */
export async function reportDrift(run: PlanningRun, options: DriftOptions): Promise<ExitCode> {
  const { context, open, flags } = run
  const document = await findDrift(run)
  // A facts snapshot cannot show how a download ended since.
  if (run.factsFolder === undefined) await noteOutcomes(context, seenFetches(document))
  const exit = driftExit(document, options.failOn ?? failOnDefault)
  if (options.writeIgnore === true) {
    context.out.write(proposedIgnores(document, ignoreWords(context.now())))
    return exit
  }
  const asked = { inventory: open.fleet.path, hosts: open.hosts.map(({ name }) => name), services: flags.service ?? [] }
  const last = options.changed === true ? await readLastDrift(context, asked) : undefined
  const quiet = last?.isSame(document) === true
  const text = (paint: Paint) => renderDrift(document, paint)
  const overview = (around: Surroundings) => overviewOfDrift(document, around)
  const run_id = newRunId(context)
  await conclude(run, { document, text, overview }, { verb: 'drift', run_id, exit, quiet })
  // Only after the report was delivered; otherwise the next run reports it.
  if (!quiet) await last?.remember(document)
  return exit
}

async function findDrift(run: PlanningRun): Promise<DriftDocument> {
  const { fleet, hosts, selects, everyService } = run.open
  const compared = hosts.flatMap(({ services }) => services.filter(selects))
  const askHubs = await readyHubs(run, compared)
  const seeing = run.observe(hosts, { keep: false, phase: 'gather' })
  const [seen, answers] = await Promise.all([seeing, askHubs(seeing)])
  await run.stopDisplay()
  const selected = new Set(compared.map(({ name }) => name))
  return compareFleet({
    fleet,
    facts: seen,
    keys: run.keys,
    ...answers,
    selects: (service) => everyService || selected.has(service),
    everything: everyService,
    ...defined({ factsFolder: run.factsFolder }),
    now: run.context.now().toISOString(),
  })
}

function seenFetches({ hosts }: DriftDocument): readonly SeenFetch[] {
  return hosts.flatMap(({ host, fetches = [] }) => fetches.map(({ model, job }) => ({ host, model, ...defined({ job }) })))
}

const monthMs = 30 * 24 * 3600 * 1000

/** Valid placeholders, to be edited by the user. */
function ignoreWords(now: Date) {
  const until = new Date(now.getTime() + monthMs).toISOString().replace(/\.\d+Z$/, 'Z')
  return { reason: `found on ${now.toISOString().slice(0, 10)}, not explained yet`, owner: userInfo().username, until }
}

/** 4 if anything could not be compared; otherwise 2 if findings of these classes exist. */
export function driftExit({ hosts, summary }: DriftDocument, failOn: readonly DriftClass[]): ExitCode {
  const found = hosts.flatMap(({ findings }) => findings).some((one) => classesOf(one).some((name) => failOn.includes(name)))
  return worstOf([
    ...(summary.not_compared > 0 ? [exitCodes.unreachable] : []),
    ...hosts.flatMap(({ compared, problem }) => (compared ? [] : [unseenExit(problem)])),
    ...(found ? [exitCodes.changes] : []),
  ])
}
