import { ownMember } from '../lib/own-member.ts'
import { isTidying } from '../managers/tidying.ts'
import type { ActionContext } from './rule.ts'

/**
 * Whether this action makes the desired definition run: at once, or when the supervisor next restarts the running server. A definition that
 * waits for a separate start is judged at that start.
 */
export function bringsUp({ action, before, service }: ActionContext): boolean {
  if (action.starts) return true
  if (isTidying(action)) return false
  const writes = action.kind === 'install' || action.kind === 'update'
  return writes && service.state === 'running' && ownMember(before.services, service.name)?.running === true
}
