import type { ReadyAction } from '../apply/prepared-action.ts'
import { createIdleWait } from '../apply/wait-idle.ts'
import { defined } from '../lib/defined.ts'
import type { Action } from '../model/action.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Host, Service } from '../model/fleet.ts'
import type { Secret } from '../model/secret.ts'
import { busyNow } from '../verify/busy-now.ts'
import type { Run } from './run.ts'
import { startedWith } from './started-with.ts'

/** For one request; a healthy server answers in milliseconds. */
const lookMs = 5000

interface IdleSubject {
  readonly host: Host
  readonly service: Service
  readonly facts: HostFacts
  /** Its current port; undefined: none. */
  readonly port: number | undefined
}

/** How an action waits for its server, asked over the existing connection; empty: it does not wait. */
export function idleWait(run: Run, { host, service, facts, port }: IdleSubject, action: Action): Pick<ReadyAction, 'idle'> {
  if (action.wait_idle_s === undefined || port === undefined) return {}
  const { name, kind } = service
  const key = run.keys.get(`${host.name}/${name}`)
  const known = key?.known === true ? { key: key.value } : {}
  const { signal } = run.context
  let worked = false
  let others: Promise<readonly Secret[]> | undefined
  const look = async () => {
    const view = await run.connections.to(host)
    const otherKeys = () => (others ??= startedWith(view, { host, service: name, seen: facts }, signal))
    const busy = await busyNow(view, { port, kind, ...known, otherKeys, signal, timeoutMs: lookMs })
    // A server that was busy a moment ago and does not answer is still busy.
    if (busy.kind === 'silent') return worked ? {} : undefined
    if (busy.kind !== 'busy') return undefined
    worked = true
    return defined({ requests: busy.requests })
  }
  return { idle: createIdleWait(action, action.wait_idle_s * 1000, look) }
}
