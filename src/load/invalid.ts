import { ConvergeError } from '../errors/converge-error.ts'
import { converge } from '../lib/next-command.ts'
import type { InventoryIssue } from '../model/issue.ts'

/** One error for all mistakes in an inventory or a playbook. */
export function invalid(
  code: 'INVENTORY.INVALID' | 'PLAYBOOK.INVALID',
  path: string,
  found: readonly InventoryIssue[],
): ConvergeError {
  const issues = found.filter((issue) => issue.severity === 'error')
  const what = code === 'INVENTORY.INVALID' ? 'inventory' : 'playbook'
  return new ConvergeError(code, {
    summary: `The ${what} is not valid.`,
    why: `${issues.length === 1 ? 'One mistake' : `${issues.length} mistakes`}; no host was contacted.`,
    next: [
      converge(['validate', ...(what === 'inventory' ? ['-i'] : []), path], {
        say: `Correct ${issues.length === 1 ? 'it' : 'them'}, then:`,
      }),
    ],
    issues,
  })
}
