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

/** For one look; a server that is well answers in milliseconds. */
const lookMs = 5000

interface Waited {
  readonly host: Host
  readonly service: Service
  readonly facts: HostFacts
  /** Where it listens now; undefined: nowhere. */
  readonly port: number | undefined
}

/** How an action waits for its server, asked through the connection that is there anyway; nothing where it does not wait. */
export function idleWait(run: Run, { host, service, facts, port }: Waited, action: Action): Pick<ReadyAction, 'idle'> {
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
    // Who worked a moment ago and says nothing now has no time to say it.
    if (busy.kind === 'silent') return worked ? {} : undefined
    if (busy.kind !== 'busy') return undefined
    worked = true
    return defined({ requests: busy.requests })
  }
  return { idle: createIdleWait(action, action.wait_idle_s * 1000, look) }
}
