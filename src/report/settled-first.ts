import type { Bookkeeping } from '../model/bookkeeping.ts'
import type { HostPlan } from '../model/plan.ts'

/** What converge tests or rolls back on the host before the first action, because an earlier run left it unconfirmed; it may interrupt a server. */
export function settledFirst({ bookkeeping = [] }: HostPlan): readonly Bookkeeping[] {
  return bookkeeping.filter(({ interrupts }) => interrupts === true)
}
