import { join } from 'node:path'
import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { UnreadableFile } from '../inventory/unreadable-file.ts'
import { isFinished, type JournalledRun } from '../journal/journalled-run.ts'
import { settledSince } from '../journal/settled-since.ts'
import { unusedApprovals } from '../journal/unused-approvals.ts'
import { defined } from '../lib/defined.ts'
import { converge } from '../lib/next-command.ts'
import { stableJson } from '../lib/stable-json.ts'
import type { Approval } from '../model/playbook.ts'
import { isExpired } from '../policy/approvals.ts'
import { listJournals, readBegun, readRun, runsOf } from './journals.ts'
import { stateFolder } from './state-folder.ts'

type Place = Pick<Context, 'env' | 'cwd'>

/** A run that is gone on with. */
export interface Resumption {
  readonly run: JournalledRun
  /** The file of its journal. */
  readonly path: string
  /** Names of the hosts that are not finished. */
  readonly hosts: readonly string[]
}

/** What there is to go on with: a run with hosts, or one of which nothing is left to do, with none. Undefined: there never was one. */
export async function findResumption(
  place: Place & Pick<Context, 'err'>,
  inventory: string,
  named: string | undefined,
): Promise<Resumption | undefined> {
  if (named === undefined) return lastUnfinished(place, inventory)
  const run = await readNamed(place, await journalOf(place, named))
  if (run.begun.inventory.path !== inventory) throw otherInventory(run, inventory)
  return resumptionOf(place, settledSince(run, await wentOnWith(place, run)), unfinishedHosts(run))
}

/** The runs that went on with it, at whatever remove. */
async function wentOnWith(place: Place & Pick<Context, 'err'>, run: JournalledRun): Promise<readonly JournalledRun[]> {
  const later: JournalledRun[] = []
  for await (const one of runsOf(place, run.begun.inventory.path)) {
    if (one.begun.run_id === run.begun.run_id) break
    later.push(one)
  }
  return later.filter((one) => goesOnWith(one, run, later))
}

/** The inventory of a run, as an absolute path. */
export async function inventoryOf(place: Place, named: string): Promise<string> {
  return (await readNamed(place, await journalOf(place, named))).begun.inventory.path
}

/** The last run of which something is left that no later one finished. Where nothing is, the very last run. */
async function lastUnfinished(place: Place & Pick<Context, 'err'>, inventory: string): Promise<Resumption | undefined> {
  const later: JournalledRun[] = []
  for await (const run of runsOf(place, inventory)) {
    const left = unfinishedHosts(run).filter((host) => !later.some((one) => finished(one, host, run, later)))
    if (left.length > 0) return resumptionOf(place, run, left)
    later.push(run)
    if (isWhole(run)) break
  }
  const [last] = later
  return last === undefined ? undefined : resumptionOf(place, last, [])
}

function resumptionOf(place: Place, run: JournalledRun, hosts: readonly string[]): Resumption {
  return { run, hosts, path: join(stateFolder(place), 'runs', `${run.begun.run_id}.ndjson`) }
}

function unfinishedHosts({ hosts }: JournalledRun): readonly string[] {
  return hosts.filter(({ state }) => state !== 'finished').map(({ host }) => host)
}

/** Whether a later run did on the host what this one was to do, or all there is to do. */
function finished(later: JournalledRun, host: string, run: JournalledRun, all: readonly JournalledRun[]): boolean {
  if (later.hosts.find((one) => one.host === host)?.state !== 'finished') return false
  return isBroad(later) || breadth(later) === breadth(run) || goesOnWith(later, run, all)
}

/** About all services of its hosts. */
function isBroad({ begun: { verb, selection } }: JournalledRun): boolean {
  return verb === 'apply' && selection.services.length === 0 && selection.playbook === undefined
}

function breadth({ begun: { selection } }: JournalledRun): string {
  return stableJson([selection.services, selection.playbook?.path ?? null])
}

function goesOnWith({ begun }: JournalledRun, run: JournalledRun, all: readonly JournalledRun[]): boolean {
  if (begun.continues === undefined) return false
  if (begun.continues === run.begun.run_id) return true
  const between = all.find((one) => one.begun.run_id === begun.continues)
  return between !== undefined && goesOnWith(between, run, all)
}

/** Behind it nothing can be left: it was about everything, and finished. */
function isWhole(run: JournalledRun): boolean {
  return isBroad(run) && run.begun.selection.limit === undefined && run.begun.selection.hosts === undefined && isFinished(run)
}

async function journalOf(place: Place, named: string): Promise<string> {
  const names = await listJournals(place)
  const found = names.filter((name) => name.startsWith(named))
  const [only] = found
  if (only !== undefined && (found.length === 1 || found.includes(`${named}.ndjson`)))
    return found.length === 1 ? only : `${named}.ndjson`
  throw new ConvergeError('RESUME.NO_RUN', {
    summary: 'There is no such run.',
    why:
      found.length === 0
        ? `No journal in ${join(stateFolder(place), 'runs')} belongs to a run ${named}.`
        : `${found.length} runs begin with ${named}.`,
    next: [converge(['history'], { say: 'See which there are:' })],
  })
}

async function readNamed(place: Place, name: string): Promise<JournalledRun> {
  const run = await readRun(place, name).catch((error: unknown) => {
    throw error instanceof UnreadableFile ? unreadable(join(stateFolder(place), 'runs', name), error.message) : error
  })
  if (run !== undefined) return run
  const begun = await readBegun(place, name)
  throw new ConvergeError('RESUME.NO_RUN', {
    summary: 'Nothing of this run remains to be resumed.',
    why:
      begun === undefined
        ? `${name} is not the journal of a run that this version of converge can read.`
        : `The run ${begun.run_id} ended before it had written down what it would do, and sent nothing.`,
    next: [converge(['apply'])],
  })
}

function unreadable(path: string, why: string): ConvergeError {
  return new ConvergeError('RESUME.NO_RUN', {
    summary: 'The journal of the run cannot be read.',
    why: `${path}: ${why}. Without it nobody knows what the run was to do, so nothing was done.`,
    next: [converge(['plan'], { say: 'See what is left to do by what is wanted now:' })],
  })
}

export function noRun(inventory: string): ConvergeError {
  return new ConvergeError('RESUME.NO_RUN', {
    summary: 'No run of this inventory is recorded on this machine.',
    why: `No journal tells of an apply of ${inventory}.`,
    next: [converge(['plan', '--limit', 'all'])],
  })
}

function otherInventory({ begun }: JournalledRun, inventory: string): ConvergeError {
  return new ConvergeError('RESUME.NO_RUN', {
    summary: 'The run belongs to another inventory.',
    why: `The run ${begun.run_id} was about ${begun.inventory.path}, not about ${inventory}.`,
    next: [converge(['resume', begun.run_id, '-i', begun.inventory.path])],
  })
}

/** The approvals that the run used for what is left of it, and for nothing else; one that has run out is leave no more. */
export function approvalsAgain({ run, path }: Resumption, now: Date): readonly Approval[] {
  return unusedApprovals(run)
    .map(({ code, service = '*', host, reason, until }): Approval => {
      const origin = { file: path, line: 1, column: 1 }
      return { code, service, host, reason, ...defined({ until }), origin }
    })
    .filter((approval) => !isExpired(approval, now.toISOString()))
}

/** @throws ConvergeError `RESUME.OTHER_INPUT` where inventory or playbook say something else by now */
export function mustBeSame({ run }: Resumption, inventoryDigest: string, playbook: string | undefined): void {
  const { run_id, inventory, selection } = run.begun
  const changed = [
    ...(inventory.digest === inventoryDigest ? [] : [`the inventory ${inventory.path}`]),
    ...(selection.playbook?.digest === playbook ? [] : [`the playbook ${selection.playbook?.path ?? ''}`]),
  ]
  if (changed.length === 0) return
  throw new ConvergeError('RESUME.OTHER_INPUT', {
    summary: 'The inventory has changed since the run was started. Nothing was done.',
    why: `${changed.join(' and ')} changed since the run ${run_id} began, so that what it was to do is not what is wanted now.`,
    next: [
      converge(['plan', '--limit', '@failed,@unreached'], { say: 'See what is left to do by what is wanted now:' }),
      converge(['apply', '--limit', '@failed,@unreached'], { say: 'Then do it:' }),
    ],
  })
}
