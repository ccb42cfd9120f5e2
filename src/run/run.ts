import type { Context } from '../context/context.ts'
import { defined } from '../lib/defined.ts'
import type { Emit } from '../model/event.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Host } from '../model/fleet.ts'
import { type OpenView, openView } from '../transports/open-view.ts'
import { announceShard } from './announce-shard.ts'
import { mustStartNothing, withholdPassword } from './closed-host.ts'
import { type Connections, createConnections, type OpenHost } from './connections.ts'
import { checkDestinations } from './deliver.ts'
import { type Keys, resolveKeys, type SecretResolver } from './keys.ts'
import { type ObserveInput, type ObserveSettings, observeFleet, observeHostFacts } from './observe-fleet.ts'
import { type OpenFleet, type SelectionFlags, withinReach } from './open-fleet.ts'
import { openReported } from './open-reported.ts'
import type { Observation } from './planning-run.ts'
import { createSecretResolver } from './secret-resolver.ts'
import { type EventFlags, showEvents } from './show-events.ts'

/** Flags of every verb that connects to hosts. */
export interface HostFlags extends SelectionFlags, EventFlags {
  readonly forks: number
  /** Seconds to gather the facts of one host. */
  readonly timeout: number
  readonly sshConfig?: string | undefined
  readonly verbose?: true | undefined
  /** Show every command in plans. */
  readonly steps?: true | undefined
  /** False: send no notifications. */
  readonly notify?: boolean | undefined
}

/** A run over hosts, with its selection and connections; read-only by default. Always ended by `close`. */
export interface Run<View extends OpenView = OpenView> {
  readonly context: Context
  readonly flags: HostFlags
  readonly open: OpenFleet
  readonly keys: Keys
  /** Resolves tokens for hubs; absent: ask no hub. */
  readonly resolve?: SecretResolver
  readonly connections: Connections<View>
  readonly emit: Emit
  observe(hosts: readonly Host[], how: Pick<ObserveInput, 'keep' | 'phase' | 'about'>): Promise<Observation>
  observeOne(host: Host, how?: Pick<ObserveSettings, 'about' | 'asksServers'>): Promise<HostFacts>
  /** Releases the terminal for a result or a question. Progress may continue afterwards. */
  stopDisplay(): Promise<void>
  close(): Promise<void>
}

async function openRun<View extends OpenView>(openHost: OpenHost<View>, context: Context, flags: HostFlags): Promise<Run<View>> {
  await checkDestinations(flags)
  const open = withinReach(context, await openReported(context, flags))
  announceShard(context, open, flags)
  const { isClosed = false } = open
  const resolveSecret = createSecretResolver(context, { isClosed })
  const keys = await resolveKeys(open.hosts, resolveSecret)
  const connections = createConnections(context, isClosed ? openClosed(openHost) : openHost, {
    resolveSecret: isClosed ? withholdPassword : resolveSecret,
    timeoutMs: flags.timeout * 1000,
    ...defined({ sshConfig: flags.sshConfig }),
  })
  const events = showEvents(context, flags)
  const { emit, stopDisplay } = events
  const input = { fleet: open.fleet, keys, connections, timeoutMs: flags.timeout * 1000, emit }
  return {
    context,
    flags,
    open,
    keys,
    ...(isClosed ? {} : { resolve: resolveSecret }),
    connections,
    emit,
    observe: (hosts, how) => observeFleet(context, { ...input, ...how, hosts, forks: flags.forks }),
    observeOne: (host, how) => observeHostFacts(context, { ...input, ...how }, host),
    stopDisplay,
    close: async () => {
      await stopDisplay()
      await connections.closeAll()
      await events.close()
    },
  }
}

/** For an inventory that may be untrusted. */
function openClosed<View extends OpenView>(openHost: OpenHost<View>): OpenHost<View> {
  return async (host, options) => {
    mustStartNothing(host)
    return openHost(host, options)
  }
}

/** A read-only run. */
export function withRun<T>(context: Context, flags: HostFlags, work: (run: Run) => Promise<T>): Promise<T> {
  return runOver(openView, context, flags, work)
}

/** Opens a run, does the work, and always closes it. */
export async function runOver<View extends OpenView, T>(
  openHost: OpenHost<View>,
  context: Context,
  flags: HostFlags,
  work: (run: Run<View>) => Promise<T>,
): Promise<T> {
  const run = await openRun(openHost, context, flags)
  try {
    return await work(run)
  } finally {
    await run.close()
  }
}
