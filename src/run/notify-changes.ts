import { realpath } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, resolve } from 'node:path'
import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { stableJson } from '../lib/stable-json.ts'
import type { NotifyTarget } from '../model/fleet.ts'
import type { InventoryIssue } from '../model/issue.ts'
import type { Alert, Notification, NotificationResult, SentAlert } from '../model/notification.ts'
import type { Overview } from '../model/overview.ts'
import { alertsOf } from '../notify/alerts.ts'
import { compareWithSent } from '../notify/compare-with-sent.ts'
import { looker } from '../notify/look.ts'
import { countsOf } from '../notify/message.ts'
import { lockInventory } from '../state/controller-lock.ts'
import { readNotificationState } from '../state/notification-state.ts'
import { newRun } from '../state/run-identity.ts'
import { createSender, sendNotification } from './notification-sender.ts'
import type { OpenFleet } from './open-fleet.ts'

export interface EndedRun {
  readonly open: OpenFleet
  readonly verb: string
  readonly run_id: string
  /** Without secrets. */
  readonly overview: Overview
  /** Report only failures. */
  readonly quiet: boolean
}

export interface Notified {
  readonly results: readonly NotificationResult[]
  /** Failed notifications, for the reports. */
  readonly issues: readonly InventoryIssue[]
}

/** Longer than another run takes to send its notifications. */
const patienceMs = 60_000

const nothingSent: Notified = { results: [], issues: [] }

/**
 * Sends each target in `fleet.notify` what changed since its last notification. The outcome does not affect the result or exit code of
 * the run. A failure is printed on stderr, and the next run tries again.
 */
export async function notifyChanges(context: Context, ended: EndedRun): Promise<Notified> {
  const targets = ended.open.fleet.notify ?? []
  // An interrupted run may have missed findings, and the person who interrupted it sees the result.
  if (targets.length === 0 || context.signal.aborted) return nothingSent
  const { path } = ended.open.fleet
  const inventory = await realpath(path).catch(() => resolve(context.cwd, path))
  try {
    const lock = await lockInventory(context, {
      inventory: `${inventory}#notify`,
      holder: newRun(context),
      lockTimeoutMs: patienceMs,
    })
    try {
      return await notifyAll(context, ended, inventory, targets)
    } finally {
      await lock[Symbol.asyncDispose]()
    }
  } catch (error) {
    if (context.signal.aborted) return nothingSent
    if (!(error instanceof ConvergeError)) throw error
    if (error.code === 'STATE.UNUSABLE') return notifyAll(context, ended, inventory, targets)
    context.err.writeProse('No notification was sent: another run of this inventory is still sending. The next run sends them.\n')
    return nothingSent
  }
}

async function notifyAll(
  context: Context,
  ended: EndedRun,
  inventory: string,
  targets: readonly NotifyTarget[],
): Promise<Notified> {
  const { overview, open } = ended
  const selected = new Set(open.hosts.flatMap(({ services }) => services.filter(open.selects)).map(({ name }) => name))
  const selects = (service: string) => open.everyService || selected.has(service)
  const found = alertsOf(overview)
  const looked = looker(overview, { fleet: open.fleet, selects, everyService: open.everyService })
  const sender = createSender(context, open)
  const notifyOne = async (target: NotifyTarget, ordinal: number) => {
    const state = await readNotificationState(context, inventory, target, ordinal)
    const { changes, sent } = compareWithSent({ sent: state.sent, found, looked, on: target.on })
    if (changes.length === 0) {
      // Written again to refresh its date: the oldest states are deleted first.
      if (sent.length + state.sent.length > 0 || state.damaged) await state.remember(sent)
      return []
    }
    const notification = { ...about(context, ended, inventory), changes, open: openOf(sent, found), test: false }
    const result = await sendNotification(sender, target, notification)
    if (result.outcome === 'sent') await state.remember(sent)
    printResult(context, ended, result, countsOf(changes))
    return [{ target, result }]
  }
  const all = (await Promise.all(targets.map((target, index) => notifyOne(target, ordinalOf(targets, index))))).flat()
  return {
    results: all.map(({ result }) => result),
    issues: all.flatMap(({ target, result }) => (result.outcome === 'sent' ? [] : [issueOf(target, result)])),
  }
}

/** Two entries for the same target are distinguished by their order. */
function ordinalOf(targets: readonly NotifyTarget[], index: number): number {
  const same = stableJson(targets[index]?.way)
  return targets.slice(0, index).filter(({ way }) => stableJson(way) === same).length
}

/** The number of open alerts that this run found and the target was notified of. */
function openOf(sent: readonly SentAlert[], found: readonly Alert[]): number {
  const ids = new Set(found.map(({ id }) => id))
  return sent.filter(({ id, stage }) => stage === undefined && ids.has(id)).length
}

/** The header of a notification. */
export function about(
  context: Pick<Context, 'now'>,
  { verb, run_id }: Pick<EndedRun, 'verb' | 'run_id'>,
  inventory: string,
): Omit<Notification, 'changes' | 'open' | 'test'> {
  return { run_id, verb, at: context.now().toISOString(), inventory: basename(inventory), controller: hostname() }
}

function printResult(
  { err }: Context,
  { quiet }: EndedRun,
  { target, outcome, detail }: NotificationResult,
  counts: string,
): void {
  if (outcome === 'failed') err.writeProse(`\n${notSent(target, detail, counts)}\n`)
  else if (!quiet) err.writeProse(`\nNotified ${target}: ${counts}.\n`)
}

function issueOf({ source }: NotifyTarget, { target, detail }: NotificationResult): InventoryIssue {
  return { severity: 'warning', code: 'NOTIFY.FAILED', message: notSent(target, detail), at: source }
}

function notSent(target: string, detail: string, counts?: string): string {
  return `Notification to ${target} failed${counts === undefined ? '' : ` (${counts})`}: ${detail}. The next run tries again.`
}
