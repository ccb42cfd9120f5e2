import { awakeFor } from '../managers/launchd/keep-awake.ts'
import type { ServiceCase } from './service-case.ts'

/** Whether a server runs without the Mac being kept awake for it as desired: no need to wait for a restart that may be refused. */
export function lacksKeepAwake({ service, state, facts }: ServiceCase): boolean {
  if (!service.keepAwake || !state.known || state.value.process === null) return false
  const awake = awakeFor(state.value.process.pid, facts)
  return awake.known && awake.value.length === 0
}
