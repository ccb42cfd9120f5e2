import { realpath } from 'node:fs/promises'
import type { Context } from '../context/context.ts'
import { type ExitCode, exitCodes } from '../context/exit-code.ts'
import { defined } from '../lib/defined.ts'
import { defaultInventory } from '../load/default-inventory.ts'
import type { RunReport } from '../model/report.ts'
import { runResult } from '../report/run-result.ts'
import { type ControllerLock, lockInventory } from '../state/controller-lock.ts'
import { findResumption, findShardToResume, inventoryOf, noRun, type Resumption } from '../state/resumption.ts'
import { newRun, type RunIdentity } from '../state/run-identity.ts'
import { type ActingRun, withActingRun } from './acting-run.ts'
import { carryOut } from './apply-run.ts'
import { mustBeAbleToAsk } from './ask.ts'
import { deliver } from './deliver.ts'
import { mustStillLast, operationsAgain } from './operations.ts'
import { type PlanSource, planRequest } from './plan-only.ts'
import { upgradeSource } from './ready-registries.ts'
import type { HostFlags } from './run.ts'

export interface ResumeRequest {
  /** Id of a run, or its beginning; absent: the last interrupted run. */
  readonly named: string | undefined
  /** Instead of it: the id that the shards of a run share. */
  readonly sharedId?: string | undefined
  readonly flags: HostFlags
  readonly confirmed: boolean
  /** How long to wait for another run; absent: do not wait. */
  readonly lockTimeoutMs?: number
}

/** Finishes an interrupted run: applies what is left of it, and nothing else. */
export async function resumeRun(context: Context, request: ResumeRequest): Promise<ExitCode> {
  const { flags, confirmed, lockTimeoutMs } = request
  mustBeAbleToAsk(context, flags, confirmed)
  const identity = newRun(context)
  const { named: given, sharedId } = request
  const place =
    flags.inventory ??
    (given === undefined ? await defaultInventory(context, { isClosed: flags.secretCommands === false }) : undefined)
  const path = place ?? (await inventoryOf(context, given ?? ''))
  const inventory = await realpath(path).catch(() => path)
  const shard = sharedId === undefined ? undefined : await findShardToResume(context, inventory, sharedId)
  if (shard?.hosts.length === 0) return nothingLeft(context, flags, identity, shard)
  const named = shard?.run.begun.run_id ?? given
  const { lock: owned, resumes } = await lockResumption(context, { inventory, named, identity, lockTimeoutMs })
  await using lock = owned
  if (resumes === undefined) throw noRun(path)
  if (resumes.hosts.length === 0) return await nothingLeft(context, flags, identity, resumes)
  return await withActingRun(context, flagsOf(flags, path, resumes), async (run) => {
    const source = sourceOf(run, resumes)
    return carryOut(run, { identity, lock, confirmed, lockTimeoutMs, source, request: await planRequest(run, source) })
  })
}

/** The hosts that are left, as the run selected them. */
function flagsOf(flags: HostFlags, inventory: string, { run: { begun }, hosts }: Resumption): HostFlags {
  const { selection, shard: inShard } = begun
  const service = selection.services.length === 0 ? undefined : selection.services
  return { ...flags, inventory, hosts, inShard, ...defined({ service }) }
}

function sourceOf(run: ActingRun, resumes: Resumption): PlanSource {
  const { selection, run_id } = resumes.run.begun
  const { playbook, upgrade, wait_idle_s: waitIdleS, max_downtime_s: maxDowntimeS } = selection
  const asks = operationsAgain(resumes.run)
  if (asks !== undefined) mustStillLast(asks.operations, run_id, run.context.now())
  return {
    ...defined({ asks }),
    playbook: playbook?.path,
    approvals: [],
    resumes,
    ...(upgrade === undefined
      ? {}
      : { upgrade: upgradeSource(run, defined({ serial: upgrade.serial, maxSlowdown: upgrade.max_slowdown })) }),
    ...(waitIdleS === undefined ? {} : { waitIdle: waitIdleS * 1000 }),
    ...(maxDowntimeS === undefined ? {} : { maxDowntime: maxDowntimeS * 1000 }),
  }
}

interface ResumptionQuery {
  readonly inventory: string
  readonly named: string | undefined
  readonly identity: RunIdentity
  readonly lockTimeoutMs: number | undefined
}

/** The run to resume, and the lock of its hosts. It is looked up again under the lock, when no other run is active there. */
async function lockResumption(
  context: Context,
  { inventory, named, identity, lockTimeoutMs }: ResumptionQuery,
): Promise<{ readonly lock: ControllerLock; readonly resumes: Resumption | undefined }> {
  const quiet = { ...context, err: { ...context.err, writeProse: () => undefined } }
  let hosts = (await findResumption(quiet, inventory, named))?.hosts ?? []
  for (;;) {
    const lock = await lockInventory(context, {
      inventory,
      hosts,
      holder: identity,
      note: (text) => context.err.writeProse(text),
      ...defined({ lockTimeoutMs }),
    })
    try {
      const resumes = await findResumption(context, inventory, named)
      const left = resumes?.hosts ?? []
      if (left.every((host) => hosts.includes(host))) return { lock, resumes }
      hosts = left
    } catch (error) {
      await lock[Symbol.asyncDispose]()
      throw error
    }
    await lock[Symbol.asyncDispose]()
  }
}

/** Reports that nothing is left to do. */
async function nothingLeft(
  context: Context,
  flags: HostFlags,
  { run_id, started }: RunIdentity,
  { run }: Resumption,
): Promise<ExitCode> {
  const report: RunReport = {
    schema: 'converge/report/v1',
    verb: 'resume',
    run_id,
    started_at: started,
    finished_at: context.now().toISOString(),
    resumed: { run_id: run.begun.run_id, in_doubt: [], left: [] },
    hosts: [],
    exit_code: exitCodes.done,
  }
  await deliver({ context, flags }, runResult(report))
  return exitCodes.done
}
