import { posix } from 'node:path'
import { defined } from '../lib/defined.ts'

/**
 * The log that converge keeps on a host, `audit.log` in its folder there: the start and end of runs, their steps and results,
 * locks taken over or removed, approvals used. One JSON object per line, members in a fixed order: `event`, `run_id`,
 * for steps `n`, the event's own members, and last `at`, seconds since the epoch by the host's clock. `facts/journal.ts` reads it.
 *
 * Lines are made here and sent as arguments. The shell adds the time and the exit status, which are numbers.
 */
export interface AuditEntry {
  /** Absolute path of the log on the host. */
  readonly log: string
  /** Lines that the first script of a run on a host writes before anything else. It also rotates the log. */
  readonly first: readonly AuditLine[]
  readonly intent: AuditLine
  readonly result: AuditLine
  /** Do not run the step when its intent cannot be written. */
  readonly must: boolean
}

/** A line without its end, which the shell adds. */
export type AuditLine = string & { readonly [open]: true }
declare const open: unique symbol

export type AuditEvent =
  | {
      readonly event: 'run-begun'
      readonly owner: string
      readonly controller: string
      readonly version: string
      /** `3/8`, or `3/8 of nightly`. */
      readonly shard?: string
    }
  | { readonly event: 'lock-taken-over'; readonly note: string }
  /** By a person, outside of any run. */
  | { readonly event: 'lock-removed'; readonly note: string }
  | {
      readonly event: 'consent-used'
      readonly code: string
      readonly service: string
      readonly reason: string
      readonly until?: string
    }
  | {
      readonly event: 'step-intended'
      readonly n: number
      readonly service: string
      readonly action?: string
      readonly step: string
      readonly undo?: true
    }
  | { readonly event: 'step-ended'; readonly n: number }
  /** The service is in order again, whatever state an earlier run left it in. */
  | { readonly event: 'service-settled'; readonly service: string }
  | { readonly event: 'run-ended' }

/** The longest text in a line, in bytes of JSON. It keeps a line below 1000 bytes, which every shell writes in one piece. */
const longestText = 280

/** An open line for `write_down`, which adds the time. The line of a `step-ended` gets its status first. */
export function auditLine(runId: string, { event, ...rest }: AuditEvent): AuditLine {
  const { n, ...about } = 'n' in rest ? rest : { ...rest, n: undefined }
  const members = { event, run_id: runId, ...defined({ n }), ...shortened(about) }
  const text = `${JSON.stringify(members).slice(0, -1)},"${event === 'step-ended' ? 'status' : 'at'}":`
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where such a line is made
  return text as AuditLine
}

function shortened(about: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(about).map(([name, value]) => [name, typeof value === 'string' ? cut(value) : value]))
}

function cut(text: string): string {
  if (size(text) <= longestText) return text
  const signs = Array.from(text)
  while (size(`${signs.join('')}…`) > longestText) signs.splice(-Math.ceil(signs.length / 20))
  return `${signs.join('')}…`
}

function size(text: string): number {
  return Buffer.byteLength(JSON.stringify(text))
}

export function auditPath(root: string): string {
  return posix.join(root, 'audit.log')
}

/** A larger log is rotated; one old log is kept. */
export const longestLog = 512 * 1024

/**
 * `write_down LOG LINE…`: appends each line in one write, so that lines stay whole. Through cat, which reports a full disk
 * where a shell's own printf reports "I/O error".
 *
 * `open_log LOG`: prepares the log for the first line of a run. It rotates a log that is too large in one move, and ends a line
 * that a full disk cut short.
 */
export const auditFunctions = `
regular_log() {
  if [ -L "$1" ] || { [ -e "$1" ] && [ ! -f "$1" ]; }; then
    printf '%s is no regular file\\n' "$1" >&2
    return 1
  fi
}
write_down() (
  umask 022
  regular_log "$1" || exit 1
  log=$1
  shift
  now=$(date +%s)
  for line; do
    printf '%s%s}\\n' "$line" "$now" | cat >>"$log" || exit 1
  done
)
open_log() {
  if [ ! -s "$1" ] || ! regular_log "$1"; then return 0; fi
  if [ "$(wc -c <"$1")" -gt ${longestLog} ] && [ ! -d "$1.1" ]; then
    mv -f "$1" "$1.1"
  elif [ -n "$(tail -c 1 "$1")" ]; then
    echo >>"$1"
  fi
}
`
