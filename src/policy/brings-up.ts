import { ownMember } from '../lib/own-member.ts'
import { isTidying } from '../managers/tidying.ts'
import type { ActionContext } from './rule.ts'

/**
 * Whether the wanted definition comes to run by this action: at once, or when its supervisor next restarts a server that runs
 * already. A definition that waits for a separate start is judged at that start.
 */
export function bringsUp({ action, before, service }: ActionContext): boolean {
  if (action.starts) return true
  if (isTidying(action)) return false
  const writes = action.kind === 'install' || action.kind === 'update'
  return writes && service.state === 'running' && ownMember(before.services, service.name)?.running === true
}
