import { join } from 'node:path'
import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { UnreadableFile } from '../inventory/unreadable-file.ts'
import { isFinished, type JournalledRun } from '../journal/journalled-run.ts'
import { settledSince } from '../journal/settled-since.ts'
import { unusedApprovals } from '../journal/unused-approvals.ts'
import { defined } from '../lib/defined.ts'
import { globMatches } from '../lib/glob.ts'
import { converge } from '../lib/next-command.ts'
import { stableJson } from '../lib/stable-json.ts'
import type { Approval } from '../model/playbook.ts'
import { isExpired } from '../policy/approvals.ts'
import { listJournals, readBegun, readRun, runsOf, runsOfShards } from './journals.ts'
import { stateFolder } from './state-folder.ts'

type StateAccess = Pick<Context, 'env' | 'cwd'>

/** A run to resume. */
export interface Resumption {
  readonly run: JournalledRun
  /** The file of its journal. */
  readonly path: string
  /** Names of the hosts that are not finished. */
  readonly hosts: readonly string[]
}

/** The run to resume, with its unfinished hosts; none if nothing is left. Undefined: there is no run. */
export async function findResumption(
  access: StateAccess & Pick<Context, 'err'>,
  inventory: string,
  named: string | undefined,
): Promise<Resumption | undefined> {
  if (named === undefined) return lastUnfinished(access, inventory)
  const run = await readNamed(access, await journalOf(access, named))
  if (run.begun.inventory.path !== inventory) throw otherInventory(run, inventory)
  return resumptionOf(access, settledSince(run, await resumptionsOf(access, run)), unfinishedHosts(run))
}

/** The runs that resumed it, directly or through others. */
async function resumptionsOf(access: StateAccess & Pick<Context, 'err'>, run: JournalledRun): Promise<readonly JournalledRun[]> {
  const later: JournalledRun[] = []
  for await (const one of runsOf(access, run.begun.inventory.path)) {
    if (one.begun.run_id === run.begun.run_id) break
    later.push(one)
  }
  return later.filter((one) => resumesRun(one, run, later))
}

/** The inventory of a run, as an absolute path. */
export async function inventoryOf(access: StateAccess, named: string): Promise<string> {
  return (await readNamed(access, await journalOf(access, named))).begun.inventory.path
}

/** The last run with work that no later run finished; otherwise the very last run. */
async function lastUnfinished(access: StateAccess & Pick<Context, 'err'>, inventory: string): Promise<Resumption | undefined> {
  const later: JournalledRun[] = []
  for await (const run of runsOf(access, inventory)) {
    const left = unfinishedHosts(run).filter((host) => !later.some((one) => finished(one, host, run, later)))
    if (left.length > 0) return resumptionOf(access, run, left)
    later.push(run)
    if (isWhole(run)) break
  }
  const [last] = later
  return last === undefined ? undefined : resumptionOf(access, last, [])
}

/**
 * The unfinished shards of one run, newest first; one without hosts if nothing is left.
 *
 * @throws ConvergeError `RESUME.NO_RUN`, `RESUME.SEVERAL`
 */
export async function findShardToResume(
  access: StateAccess & Pick<Context, 'err'>,
  inventory: string,
  id: string,
): Promise<Resumption> {
  const runs = await runsOfShards(access, inventory, id)
  const [last] = runs
  if (last === undefined) throw noShard(id, inventory)
  const left = runs.flatMap((run, index) => {
    const later = runs.slice(0, index)
    const hosts = unfinishedHosts(run).filter((host) => !later.some((one) => finished(one, host, run, later)))
    return hosts.length === 0 ? [] : [resumptionOf(access, run, hosts)]
  })
  if (left.length > 1) throw severalShards(id, left)
  return left[0] ?? resumptionOf(access, last, [])
}

function resumptionOf(access: StateAccess, run: JournalledRun, hosts: readonly string[]): Resumption {
  return { run, hosts, path: join(stateFolder(access), 'runs', `${run.begun.run_id}.ndjson`) }
}

function unfinishedHosts({ hosts }: JournalledRun): readonly string[] {
  return hosts.filter(({ state }) => state !== 'finished').map(({ host }) => host)
}

/** Whether a later run did on the host what this one planned, or everything. */
function finished(later: JournalledRun, host: string, run: JournalledRun, all: readonly JournalledRun[]): boolean {
  if (later.hosts.find((one) => one.host === host)?.state !== 'finished') return false
  return isBroad(later) || breadth(later) === breadth(run) || isOverruled(run, later) || resumesRun(later, run, all)
}

/** What was asked of services by name no longer counts once they were asked for something else, or applied. */
function isOverruled({ begun: { selection } }: JournalledRun, { begun: later }: JournalledRun): boolean {
  if (selection.operations === undefined) return false
  const { operations, services } = later.selection
  const asked = new Set(operations?.map(({ pair }) => pair))
  return selection.operations.every(({ pair }) => {
    const name = pair.slice(pair.indexOf('/') + 1)
    return operations === undefined ? services.some((glob) => globMatches(glob, name)) : asked.has(pair)
  })
}

/** Covers all services of its hosts. */
function isBroad({ begun: { verb, selection } }: JournalledRun): boolean {
  return verb === 'apply' && selection.services.length === 0 && selection.playbook === undefined
}

function breadth({ begun: { selection } }: JournalledRun): string {
  const operations = selection.operations?.map(({ pair, verb }) => [pair, verb]) ?? null
  return stableJson([selection.services, selection.playbook?.path ?? null, operations])
}

function resumesRun({ begun }: JournalledRun, run: JournalledRun, all: readonly JournalledRun[]): boolean {
  if (begun.continues === undefined) return false
  if (begun.continues === run.begun.run_id) return true
  const between = all.find((one) => one.begun.run_id === begun.continues)
  return between !== undefined && resumesRun(between, run, all)
}

/** No earlier run can have work left: this one covered everything and finished. */
function isWhole(run: JournalledRun): boolean {
  const { selection, shard } = run.begun
  return isBroad(run) && selection.limit === undefined && selection.hosts === undefined && shard === undefined && isFinished(run)
}

async function journalOf(access: StateAccess, named: string): Promise<string> {
  const names = await listJournals(access)
  const found = names.filter((name) => name.startsWith(named))
  const [only] = found
  if (only !== undefined && (found.length === 1 || found.includes(`${named}.ndjson`)))
    return found.length === 1 ? only : `${named}.ndjson`
  throw new ConvergeError('RESUME.NO_RUN', {
    summary: 'There is no such run.',
    why:
      found.length === 0
        ? `No journal in ${join(stateFolder(access), 'runs')} belongs to a run ${named}.`
        : `${found.length} runs begin with ${named}.`,
    next: [converge(['history'], { say: 'List the runs:' })],
  })
}

async function readNamed(access: StateAccess, name: string): Promise<JournalledRun> {
  const run = await readRun(access, name).catch((error: unknown) => {
    throw error instanceof UnreadableFile ? unreadable(join(stateFolder(access), 'runs', name), error.message) : error
  })
  if (run !== undefined) return run
  const begun = await readBegun(access, name)
  throw new ConvergeError('RESUME.NO_RUN', {
    summary: 'Nothing of this run remains to be resumed.',
    why:
      begun === undefined
        ? `This version of converge cannot read the journal ${name}.`
        : `The run ${begun.run_id} ended before it recorded a plan, and sent nothing.`,
    next: [converge(['apply'])],
  })
}

function unreadable(path: string, why: string): ConvergeError {
  return new ConvergeError('RESUME.NO_RUN', {
    summary: 'The journal of the run cannot be read.',
    why: `${path}: ${why}. Without it the plan of the run is unknown, so nothing was done.`,
    next: [converge(['plan'], { say: 'Plan the current inventory:' })],
  })
}

function noShard(id: string, inventory: string): ConvergeError {
  return new ConvergeError('RESUME.NO_RUN', {
    summary: 'There is no such run.',
    why: `No journal on this machine is of a shard of ${inventory} that was run with --run-id ${id}.`,
    next: [converge(['history'], { say: 'List the runs:' })],
  })
}

function severalShards(id: string, left: readonly Resumption[]): ConvergeError {
  const shards = left.map(({ run: { begun } }) => `${begun.shard?.index}/${begun.shard?.of}`)
  return new ConvergeError('RESUME.SEVERAL', {
    summary: 'Several shards of the run are unfinished. Nothing was done.',
    why: `Of run ${id}, shards ${shards.join(', ')} were interrupted on this machine. Each is finished within its own plan.`,
    next: left.map(({ run: { begun } }) =>
      converge(['resume', begun.run_id], { note: `shard ${begun.shard?.index}/${begun.shard?.of}` }),
    ),
  })
}

export function noRun(inventory: string): ConvergeError {
  return new ConvergeError('RESUME.NO_RUN', {
    summary: 'No run of this inventory is recorded on this machine.',
    why: `There is no journal of an apply of ${inventory}.`,
    next: [converge(['plan', '--limit', 'all'])],
  })
}

function otherInventory({ begun }: JournalledRun, inventory: string): ConvergeError {
  return new ConvergeError('RESUME.NO_RUN', {
    summary: 'The run belongs to another inventory.',
    why: `The run ${begun.run_id} used ${begun.inventory.path}, not ${inventory}.`,
    next: [converge(['resume', begun.run_id, '-i', begun.inventory.path])],
  })
}

/** The approvals that the run used for its remaining actions, without expired ones. */
export function approvalsAgain({ run, path }: Resumption, now: Date): readonly Approval[] {
  return unusedApprovals(run)
    .map(({ code, service = '*', host, reason, until }): Approval => {
      const origin = { file: path, line: 1, column: 1 }
      return { code, service, host, reason, ...defined({ until }), origin }
    })
    .filter((approval) => !isExpired(approval, now.toISOString()))
}

/** @throws ConvergeError `RESUME.OTHER_INPUT` if inventory or playbook have changed */
export function mustBeSame({ run }: Resumption, inventoryDigest: string, playbook: string | undefined): void {
  const { run_id, inventory, selection } = run.begun
  const changed = [
    ...(inventory.digest === inventoryDigest ? [] : [`the inventory ${inventory.path}`]),
    ...(selection.playbook?.digest === playbook ? [] : [`the playbook ${selection.playbook?.path ?? ''}`]),
  ]
  if (changed.length === 0) return
  throw new ConvergeError('RESUME.OTHER_INPUT', {
    summary: 'The inventory has changed since the run was started. Nothing was done.',
    why: `${changed.join(' and ')} changed after the run ${run_id} began, so its plan is outdated.`,
    next: [
      converge(['plan', '--limit', '@failed,@unreached'], { say: 'Plan the current inventory for these hosts:' }),
      converge(['apply', '--limit', '@failed,@unreached'], { say: 'Then apply it:' }),
    ],
  })
}
