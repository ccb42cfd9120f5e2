import { lastLines } from '../lib/last-lines.ts'
import type { SecretText } from '../model/secret.ts'
import type { Check } from '../model/step.ts'
import type { Script } from '../transports/script.ts'
import type { CommandResult } from '../transports/transport.ts'
import { type AuditEntry, auditFunctions } from './audit-log.ts'

/** Exit status that, together with a mark on stderr, means: a guard failed, nothing was done. */
const guardFailed = 91
/** Together with a mark: a file is unchanged, for the reason in the mark. */
const fileRefused = 92
/** Together with a mark: the log on the host could not be written, so nothing was done. */
const notWrittenDown = 93

export interface GuardedScript {
  readonly label: string
  readonly guards: readonly Check[]
  /** Functions that `act` calls; the only part that may contain secrets. */
  readonly functions: SecretText
  /** Runs when every guard holds. */
  readonly act: string
  readonly args: readonly string[]
  /** Log entries before and after `act`; absent where nothing is changed. */
  readonly audit?: AuditEntry
  readonly timeoutMs: number
  /** Unguessable, so that no command output is mistaken for a mark. */
  readonly nonce: string
}

/**
 * Guards and action as one script. Every part is a function and the only call is `callMain`, so a truncated script does
 * nothing. Commands read from `/dev/null`, because the shell's stdin is the rest of the script.
 */
export function guardedScript(input: GuardedScript): Script {
  const guards = input.guards.map((guard, index) => define(`guard_${index + 1}`, guard.script))
  const ends = input.guards.map((_, index) => argumentCount(input.guards.slice(0, index + 1)))
  const calls = input.guards.map((guard, index) =>
    callGuard(index + 1, (ends[index] ?? 0) - guard.args.length, guard.args.length),
  )
  const { audit } = input
  const head = [
    `LC_ALL=C; export LC_ALL`,
    `PATH="$PATH:/usr/sbin:/sbin:/usr/local/bin:/opt/homebrew/bin"; export PATH`,
    `mark() { printf '@${input.nonce} %s\\n' "$1" >&2; }`,
    ...(audit === undefined ? [] : [auditFunctions]),
    ...guards,
    '',
  ].join('\n')
  const before = argumentCount(input.guards)
  const call = `act ${positions(before, input.args.length)}`
  const tail = [
    define('act', input.act),
    'main() {',
    ...calls,
    ...(audit === undefined ? [`${call} </dev/null`] : auditedCall(call, audit, before + input.args.length)),
    '}',
    callMain,
  ].join('\n')
  const args = [
    ...input.guards.flatMap((guard) => guard.args),
    ...input.args,
    ...(audit === undefined ? [] : auditArguments(audit)),
  ]
  return {
    label: input.label,
    text: [head, ...input.functions, tail],
    args,
    elevate: true,
    timeoutMs: input.timeoutMs,
    followed: true,
  }
}

function auditArguments({ log, first, intent, result }: AuditEntry): readonly string[] {
  return [log, ...first, intent, result]
}

/** In a subshell, because the action may exit, and its result must still be logged. */
function auditedCall(call: string, { first, must }: AuditEntry, before: number): readonly string[] {
  const log = positions(before, 1)
  const lines = positions(before + 1, first.length + 1)
  const result = positions(before + first.length + 2, 1).slice(1, -1)
  return [
    ...(first.length === 0 ? [] : [`open_log ${log} 2>/dev/null`]),
    must ? `write_down ${log} ${lines} || { mark audit; exit ${notWrittenDown}; }` : `write_down ${log} ${lines} 2>/dev/null`,
    `(${call}) </dev/null`,
    'status=$?',
    `write_down ${log} "${result}$status,\\"at\\":" 2>/dev/null`,
    'exit "$status"',
  ]
}

/** The last line of a script whose parts are all functions; in braces, so that not even this line runs when it is truncated. */
export const callMain = '{ main "$@"; }\n'

/** A shell function with any text as its body. */
export function define(name: string, script: string): string {
  return `${name}() {\n:\n${script}\n}`
}

function argumentCount(checks: readonly Check[]): number {
  return checks.reduce((sum, check) => sum + check.args.length, 0)
}

function callGuard(number: number, before: number, count: number): string {
  const call = `guard_${number} ${positions(before, count)}`
  return `why=$(${call} 2>&1 </dev/null) || { mark 'guard ${number}'; printf '%s\\n' "$why" >&2; exit ${guardFailed}; }`
}

function positions(before: number, count: number): string {
  return Array.from({ length: count }, (_, index) => `"\${${before + index + 1}}"`).join(' ')
}

/** The outcome of a guarded script. */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'guard'; readonly index: number; readonly said: string }
  | { readonly kind: 'file'; readonly reason: string; readonly said: string }
  | { readonly kind: 'not-written-down'; readonly said: string }
  | { readonly kind: 'exit'; readonly exitCode: number; readonly said: string }
  | { readonly kind: 'in-doubt'; readonly why: string; readonly said: string }

/** Reads the result of a `guardedScript`. A special exit status counts only together with its mark. */
export function readOutcome(result: CommandResult, nonce: string): Outcome {
  const { mark, rest } = splitMark(result.stderr, nonce)
  const said = lastLines(rest.trim() === '' ? result.stdout : rest)
  const why = whyInDoubt(result)
  const { exitCode } = result
  if (why !== undefined || exitCode === undefined) return { kind: 'in-doubt', why: why ?? 'it has no exit status', said }
  if (exitCode === 0) return { kind: 'done' }
  return (mark === undefined ? undefined : markedOutcome(exitCode, mark, said)) ?? { kind: 'exit', exitCode, said }
}

function markedOutcome(exitCode: number, mark: string, said: string): Outcome | undefined {
  const [word, ...rest] = mark.split(' ')
  const about = rest.join(' ')
  if (exitCode === guardFailed && word === 'guard') return { kind: 'guard', index: Number(about) - 1, said }
  if (exitCode === fileRefused && word === 'file') return { kind: 'file', reason: about, said }
  return exitCode === notWrittenDown && mark === 'audit' ? { kind: 'not-written-down', said } : undefined
}

function whyInDoubt({ timedOut, ms, unwatched, exitCode, signal }: CommandResult): string | undefined {
  if (timedOut) return `it did not end within ${Math.round(ms / 1000)} s`
  if (unwatched === true) return unwatchedWords
  return exitCode === undefined ? `it was ended by ${signal ?? 'a signal'}` : undefined
}

const unwatchedWords =
  'the host ended it, because this run lost the lock: another run took it over, a person removed it, or no heartbeat of this run arrived'

function splitMark(stderr: string, nonce: string): { mark: string | undefined; rest: string } {
  const lines = stderr.split('\n')
  const marks = lines.filter((line) => line.startsWith(`@${nonce} `))
  const rest = lines.filter((line) => !line.startsWith(`@${nonce} `)).join('\n')
  return { mark: marks.at(-1)?.slice(nonce.length + 2), rest }
}
