import { planAgain } from '../../apply/describe-failure.ts'
import { type LockState, ownerOf, type Remover, readLock, removeLock } from '../../apply/unlock.ts'
import type { Context } from '../../context/context.ts'
import { type ExitCode, exitCodes } from '../../context/exit-code.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { nearest } from '../../inventory/did-you-mean.ts'
import { converge } from '../../lib/next-command.ts'
import type { Host } from '../../model/fleet.ts'
import type { RollbackTimer } from '../../model/rollback-timer.ts'
import { renderProblem } from '../../report/problem-text.ts'
import { type LockDocument, renderLock, renderUnlock, type UnlockPart } from '../../report/unlock-text.ts'
import { type ActingRun, withActingRun } from '../../run/acting-run.ts'
import { isAgreed, notWanted } from '../../run/ask.ts'
import { deliver, stdoutFormat } from '../../run/deliver.ts'
import { isRunProvedDead } from '../../state/dead-run.ts'
import { newRun } from '../../state/run-identity.ts'
import { withConfirm, withHosts, withInventory, withOutput } from '../options.ts'
import type { Verb } from '../verb.ts'

interface Confirmation {
  readonly confirmed: boolean
  readonly living: boolean
}

/** `converge unlock HOST`: shows the holder of a host's lock, asks on a terminal, and removes exactly that lock. */
export const verb: Verb = {
  configure(command, finish) {
    const own = withConfirm(withInventory(command.argument('<host>', 'the locked host'))).option(
      '--living',
      'with -y: remove the lock even if its run was active in the last two minutes',
    )
    withOutput(withHosts(own)).action((name, options) =>
      finish((context) =>
        withActingRun(context, { ...options, limit: name }, (run) => {
          const confirmation = { confirmed: options.confirm === true, living: options.living === true }
          return unlock(run, onlyHost(run, name), confirmation)
        }),
      ),
    )
  },
}

async function unlock(run: ActingRun, host: Host, confirmation: Confirmation): Promise<ExitCode> {
  const { context, connections, flags } = run
  const { root, timers } = await seenOn(run, host)
  const transport = await connections.to(host)
  const seen = await readLock(transport, root)
  const atWork = seen?.alive === true && !(await isRunProvedDead(context, seen.line))
  const lock = seen === undefined ? null : documentOf(seen, atWork)
  const show = async (removed: boolean, part: UnlockPart): Promise<ExitCode> => {
    const document = { schema: 'converge/unlock/v1', host: host.name, lock, removed, timers } as const
    await deliver({ context, flags }, { document, text: (paint) => renderUnlock(document, part, paint) })
    return exitCodes.done
  }
  if (seen === undefined || lock === null) return show(false, 'holder')
  if (!confirmation.confirmed && !canAsk(run)) {
    await show(false, 'holder')
    context.err.writeProse(`${renderProblem(cannotAsk(run, atWork).toProblem(), context.err.paint)}\n`)
    return exitCodes.usage
  }
  if (!(await isWanted(context, host, { seen, lock }, confirmation))) return notWanted
  return show(
    await removeLock(transport, root, seen, removerOf(context)),
    confirmation.confirmed ? 'holder-and-outcome' : 'outcome',
  )
}

/** @throws ConvergeError `APPLY.LOCK_ALIVE` */
async function isWanted(
  context: Context,
  host: Host,
  { seen, lock }: { readonly seen: LockState; readonly lock: LockDocument },
  { confirmed, living }: Confirmation,
): Promise<boolean> {
  if (confirmed && lock.alive && !living) throw mayBeAtWork(host, seen)
  if (confirmed) return true
  context.err.writeProse(renderLock(host.name, lock, context.err.paint))
  return isAgreed(context, questionAbout(seen, lock.alive), 'Nothing was done.')
}

function removerOf(context: Context): Remover {
  const { owner, controller, pid, started } = newRun(context)
  return { owner, controller, pid, runId: `unlock-${context.random(3)}`, token: context.random(16), since: started }
}

/** @param atWork whether its run may be */
function questionAbout({ silentS }: LockState, atWork: boolean): string {
  if (!atWork) return 'Remove this lock?'
  return `Its run sent a heartbeat ${silentS} s ago and may still be active. Removing the lock stops that run and ends its current step. Remove it anyway?`
}

function documentOf(seen: LockState, alive: boolean): LockDocument {
  const { owner, controller, pid, runId, since } = ownerOf(seen)
  const silentS = seen.silentS >= 999_999 ? null : seen.silentS
  return { owner, controller, pid, run_id: runId, since, silent_s: silentS, alive }
}

function onlyHost({ open }: ActingRun, name: string): Host {
  const host = open.hosts.find((one) => one.name === name)
  if (host !== undefined) return host
  const all = open.fleet.hosts.map((one) => one.name)
  const meant = nearest(name, all)
  throw new ConvergeError('USAGE.UNKNOWN_HOST', {
    summary: 'There is no such host.',
    why: `The inventory has no host ${name}; a lock is removed on one host, not on a group or a pattern.`,
    next: [...(meant === undefined ? [] : [`Did you mean ${meant}?`]), converge(['hosts'], { note: 'lists the hosts' })],
  })
}

/** The folder of converge there, and its rollback timers. */
async function seenOn(run: ActingRun, host: Host): Promise<{ root: string; timers: readonly RollbackTimer[] | null }> {
  const { layout, rollbackTimers } = await run.observeOne(host)
  if (layout.known) return { root: layout.value.root, timers: rollbackTimers.known ? rollbackTimers.value : null }
  throw new ConvergeError('APPLY.HOST_NOT_READ', {
    summary: 'The location of the lock on the host is unknown. Nothing was done.',
    why: `On ${host.name}: ${layout.detail ?? layout.because}.`,
    next: [planAgain({ host: host.name })],
  })
}

function canAsk({ context, flags }: ActingRun): boolean {
  return context.stdin.isTTY && context.err.isTerminal && stdoutFormat(flags) !== 'json'
}

function cannotAsk({ context }: ActingRun, alive: boolean): ConvergeError {
  const words = [...context.argv, '-y', ...(alive ? ['--living'] : [])]
  return new ConvergeError('USAGE.CONFIRM', {
    summary: 'The lock was not removed: there is no terminal to ask for confirmation.',
    why: alive
      ? 'Its run is possibly active: it would stop in the middle of a step.'
      : 'Its run died; the next apply takes the lock over.',
    next: [converge(words, { say: alive ? 'If you know that the run is over:' : 'Remove it:' })],
  })
}

function mayBeAtWork({ name }: Host, seen: LockState): ConvergeError {
  const { owner, controller, pid } = ownerOf(seen)
  const who = owner === null ? 'An unknown holder' : `${owner}@${controller ?? '?'} (process ${pid ?? '?'})`
  return new ConvergeError('APPLY.LOCK_ALIVE', {
    summary: 'The lock belongs to a run that is possibly in progress. Nothing was done.',
    why: `On ${name}: ${who} sent a heartbeat ${seen.silentS} s ago. Two minutes of silence, and the lock is dead.`,
    next: [
      converge(['unlock', name, '-y'], { say: 'Wait until it is silent:' }),
      converge(['unlock', name, '-y', '--living'], { say: 'If you know that the run is over:' }),
    ],
  })
}
