import { ownMember } from '../lib/own-member.ts'
import type { Action } from '../model/action.ts'
import type { HostState } from './host-state.ts'

/** Whether a start resumes a paused server: it takes no additional memory, and ends nothing. */
export function goesOn({ service, starts, interrupts }: Action, { services }: HostState): boolean {
  return starts && !interrupts && ownMember(services, service)?.running === true
}
