import { ownMember } from '../lib/own-member.ts'
import type { Action } from '../model/action.ts'
import type { HostState } from './host-state.ts'

/** Whether a start lets a server go on that is there already, paused: it takes no memory that it does not have, and ends nothing. */
export function goesOn({ service, starts, interrupts }: Action, { services }: HostState): boolean {
  return starts && !interrupts && ownMember(services, service)?.running === true
}
