import { sha256 } from '../lib/digest.ts'
import type { GroupBody } from '../managers/compile-action.ts'
import { definitionUnchanged, digestFunction } from '../managers/linux-checks.ts'
import type { Check, PutStep, RunStep, Step } from '../model/step.ts'
import { type LogRotation, ruleMode } from './log-rotation.ts'

/** Writes the rule if it is missing, or converge wrote it; the rollback restores the previous file. */
export function compileRotation({ rule, was }: LogRotation): GroupBody {
  const asSeen = definitionUnchanged(rule.path, was?.digest ?? null)
  return {
    precheck: [asSeen],
    steps: [{ ...put(rule.path, rule.content, ruleMode), guards: [asSeen] }],
    postcheck: [isWritten(rule.path, sha256(rule.content))],
    undo: was === null ? [takeBack(rule.path, sha256(rule.content))] : restored(rule, was),
  }
}

function put(path: string, content: string, mode: number): PutStep {
  const owner = 'root:wheel'
  return { do: 'put', label: `write ${path}`, guards: [], path, content: [content], mode, owner, folderMode: 0o755 }
}

/** Leaves the file alone if it is no longer ours. */
function takeBack(path: string, digest: string): RunStep {
  const script = `if [ ! -e "$1" ]; then exit 0; fi
${digestFunction}
now=$(digest "$1") || { echo "$1 is not readable"; exit 1; }
if [ "$now" = "$2" ]; then rm -f "$1"; fi`
  return { do: 'run', label: `delete ${path}`, guards: [], script, args: [path, digest], timeoutMs: 60_000 }
}

/**
 * A text that was redacted cannot be restored, so it is left alone; so is a file that was changed meanwhile.
 */
function restored(rule: LogRotation['rule'], { content, digest, mode }: NonNullable<LogRotation['was']>): readonly Step[] {
  return sha256(content) === digest ? [{ ...put(rule.path, content, mode), replaces: sha256(rule.content) }] : []
}

function isWritten(path: string, digest: string): Check {
  return {
    label: `${path} has the desired content`,
    script: `${digestFunction}
now=$(digest "$1") || { echo "$1 is not readable"; exit 1; }
[ "$now" = "$2" ] || { echo "its SHA-256 is $now"; exit 1; }`,
    args: [path, digest],
  }
}
