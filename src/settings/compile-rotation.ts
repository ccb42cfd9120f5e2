import { sha256 } from '../lib/digest.ts'
import type { GroupBody } from '../managers/compile-action.ts'
import { definitionUnchanged } from '../managers/linux-checks.ts'
import type { PutStep, Step } from '../model/step.ts'
import { type LogRotation, ruleMode } from './log-rotation.ts'
import { isWritten, takeBack } from './written-file.ts'

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

/**
 * A text that was redacted cannot be restored, so it is left alone; so is a file that was changed meanwhile.
 */
function restored(rule: LogRotation['rule'], { content, digest, mode }: NonNullable<LogRotation['was']>): readonly Step[] {
  return sha256(content) === digest ? [{ ...put(rule.path, content, mode), replaces: sha256(rule.content) }] : []
}
