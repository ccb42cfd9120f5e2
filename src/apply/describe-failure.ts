import prettyMs from 'pretty-ms'
import { assertNever } from '../errors/assert-never.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { converge, shell } from '../lib/next-command.ts'
import type { NextStep } from '../model/next-step.ts'
import type { Problem } from '../model/plan.ts'
import type { StepFailure } from './step-failure.ts'

/** Where a step failed. */
export interface FailurePlace {
  readonly host: string
  readonly service: string
  /** The step's label. */
  readonly step: string
}

/** A failed step as a problem: what failed, on which host, for which service, the program's own output, and what to do next. */
export function describeFailure(failure: StepFailure, place: FailurePlace): Problem {
  return failure.kind === 'held-back' ? failure.problem : toError(failure, place).toProblem()
}

function toError(failure: Exclude<StepFailure, { kind: 'held-back' }>, place: FailurePlace): ConvergeError {
  const where = `On ${place.host}, for service ${place.service}`
  switch (failure.kind) {
    case 'guard':
      return new ConvergeError('APPLY.STALE', {
        summary: 'The host has changed since the plan was made.',
        why: `${where}: before "${place.step}", this check failed: ${failure.check.label}. The step did nothing.${quoteOf(failure.said)}`,
        next: [planAgain(place)],
      })
    case 'lock-lost':
      return lockLost(where, place)
    case 'file':
      return fileError(failure, where, place)
    case 'exit':
      return new ConvergeError('APPLY.STEP_FAILED', {
        summary: 'A step failed on the host.',
        why: `${where}: "${place.step}" ended with exit status ${failure.exitCode}.${quoteOf(failure.said)}`,
        next: [planAgain(place)],
      })
    case 'not-in-time':
      return new ConvergeError('APPLY.NOT_IN_TIME', {
        summary: 'The host did not reach the expected state in time.',
        why: `${where}: "${place.step}" waited ${prettyMs(failure.timeoutMs)}, and this check still fails: ${failure.check.label}.${quoteOf(failure.said)}`,
        next: [planAgain(place)],
      })
    case 'not-journalled':
      return notJournalled(failure, where, place)
    case 'interrupted':
      return interruptedError(place)
    case 'in-doubt':
      return new ConvergeError('APPLY.IN_DOUBT', {
        summary: 'The outcome of a step is unknown.',
        why: `${where}: "${place.step}" was sent, but ${failure.why}.${connectionWords(failure.connection)} It may have run completely, partly or not at all.${quoteOf(failure.said)}`,
        next: [converge(['plan', '--limit', place.host], { say: 'See the current state:' })],
      })
    default:
      return assertNever(failure)
  }
}

function lockLost(where: string, place: FailurePlace): ConvergeError {
  return new ConvergeError('APPLY.LOCK_LOST', {
    summary: 'The lock on the host was lost while it was being changed.',
    why: `${where}: before "${place.step}", this run no longer held the lock. Another run took it over, or a person removed it. The step did nothing, and the run stops on this host.`,
    next: [converge(['facts', '--limit', place.host], { say: 'See who holds it:' }), planAgain(place)],
  })
}

function notJournalled(
  { at, said }: Extract<StepFailure, { kind: 'not-journalled' }>,
  where: string,
  place: FailurePlace,
): ConvergeError {
  const what = at === 'host' ? 'the log on the host' : 'the journal of this run on this machine'
  const room = isDiskFull(said) ? 'Free disk space' : 'Find out why it cannot be written'
  return new ConvergeError('APPLY.NOT_JOURNALLED', {
    summary: 'The journal could not be written. The step was not done.',
    why: `${where}: before "${place.step}", ${what} could not be written. The run stops on this host.${quoteOf(said)}`,
    next: [converge(['resume'], { say: `${room} ${at === 'host' ? `on ${place.host}` : 'on this machine'}, then:` })],
  })
}

function fileError(failure: Extract<StepFailure, { kind: 'file' }>, where: string, place: FailurePlace): ConvergeError {
  if (failure.reason === 'validate')
    return new ConvergeError('APPLY.FILE_REJECTED', {
      summary: 'The program that reads the file rejected it. Nothing was changed.',
      why: `${where}: ${failure.path} was not replaced, because the program that reads it rejected the new content.${quoteOf(failure.said)}`,
      next: [converge(['render', `${place.service}@${place.host}`], { say: 'See the file:' })],
    })
  return new ConvergeError('APPLY.FILE_NOT_WRITTEN', {
    summary: 'A file could not be written. Nothing was changed.',
    why: `${where}: ${failure.path} is unchanged: ${fileReason(failure)}.${quoteOf(failure.said)}`,
    next: [fileAdvice(failure, place)],
  })
}

function fileReason({ reason, said }: { reason: string; said: string }): string {
  const known = fileReasons[reason]
  if (isDiskFull(said)) return 'there is no space left on its disk'
  return known ?? `it failed at "${reason}"`
}

const fileReasons: Readonly<Record<string, string>> = {
  symlink: 'a symbolic link is in its place, and converge neither follows nor replaces links',
  'not-a-file': 'something that is not a regular file is in its place',
  'not-absolute': 'its path is not absolute',
  folder: 'its folder could not be created',
  temporary: 'no temporary file could be created in its folder',
  write: 'its content could not be written',
  owner: 'its owner could not be set',
  mode: 'its mode could not be set',
  unread: 'the present file could not be read',
  rename: 'the new file could not be moved into place',
  remove: 'it could not be removed',
  'no-printf': "the host's shell has no printf of its own, and the content must not be seen in the process list",
}

function fileAdvice({ path, said, reason }: { path: string; said: string; reason: string }, place: FailurePlace): NextStep {
  const folder = path.slice(0, Math.max(1, path.lastIndexOf('/')))
  if (isDiskFull(said)) return shell(`ssh ${place.host} df -h ${folder}`, { say: 'Free disk space and run again:' })
  if (reason === 'symlink' || reason === 'not-a-file') return shell(`ssh ${place.host} ls -ld ${path}`, { say: 'Look at it:' })
  return shell(`ssh ${place.host} ls -la ${folder}`, { say: 'Look at its folder and permissions:' })
}

function isDiskFull(said: string): boolean {
  return /no space left on device|disk quota exceeded/i.test(said)
}

/** For a check that fails after the last step. */
export function notReached(failure: Extract<StepFailure, { kind: 'guard' }>, place: FailurePlace): Problem {
  return new ConvergeError('APPLY.NOT_REACHED', {
    summary: 'All steps succeeded, but the host does not match the plan.',
    why: `On ${place.host}, for service ${place.service}: after the last step this check fails: ${failure.check.label}.${quoteOf(failure.said)}`,
    next: [planAgain(place)],
  }).toProblem()
}

/** For checks before the first step that could not be run. */
export function notAsked(failure: StepFailure, place: FailurePlace): Problem {
  const why = failure.kind === 'in-doubt' ? `${failure.why}.${connectionWords(failure.connection)}${quoteOf(failure.said)}` : ''
  return new ConvergeError('APPLY.HOST_NOT_READ', {
    summary: 'The host could not be checked against the plan. Nothing was done.',
    why: `On ${place.host}, for service ${place.service}: "${place.step}" was sent, but ${why === '' ? 'it failed.' : why}`,
    next: [planAgain(place)],
  }).toProblem()
}

/** For a step group that was interrupted between two steps. */
export function interruptedError(place: FailurePlace): ConvergeError {
  return new ConvergeError('APPLY.INTERRUPTED', {
    summary: 'The run was interrupted.',
    why: `On ${place.host}, for service ${place.service}: the run was interrupted before the step "${place.step}". That step and all later ones were not run.`,
    next: [planAgain(place)],
  })
}

export function planAgain({ host }: { readonly host: string }): NextStep {
  return converge(['plan', '--limit', host])
}

function connectionWords(connection: Problem | undefined): string {
  return connection === undefined ? '' : ` ${connection.why}`
}

/** The program's own output, after all sentences. Line breaks are kept. */
function quoteOf(said: string): string {
  const text = said.trim()
  if (text === '') return ''
  return text.includes('\n') ? ` It said:\n${text}` : ` It said: ${text}${/[.!?]$/.test(text) ? '' : '.'}`
}
