import type { Context } from '../context/context.ts'
import { defined } from '../lib/defined.ts'
import { mapStrings } from '../lib/map-strings.ts'
import { visibleText } from '../lib/visible-text.ts'
import type { Emit, RunEvent } from '../model/event.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Host } from '../model/fleet.ts'
import { createDisplay, type DisplayKind } from '../progress/create-display.ts'
import type { Display } from '../progress/display.ts'
import { type EventStream, openEventStream } from '../progress/event-stream.ts'
import { notWritten } from '../state/write-whole.ts'
import { type OpenView, openView } from '../transports/open-view.ts'
import { mustStartNothing, withholdPassword } from './closed-host.ts'
import { type Connections, createConnections, type OpenHost } from './connections.ts'
import { checkDestinations, type OutputFlags, stdoutFormat } from './deliver.ts'
import { type Keys, resolveKeys, type SecretResolver } from './keys.ts'
import { type ObserveInput, observeFleet, observeHostFacts } from './observe-fleet.ts'
import { type OpenFleet, type SelectionFlags, withinReach } from './open-fleet.ts'
import { openReported } from './open-reported.ts'
import type { Observation } from './planning-run.ts'
import { createSecretResolver } from './secret-resolver.ts'

/** What every verb that looks at hosts is called with. */
export interface HostFlags extends SelectionFlags, OutputFlags {
  readonly forks: number
  /** Seconds for looking at one host. */
  readonly timeout: number
  readonly sshConfig?: string | undefined
  /** Where events go as they happen: a file, or the number of a descriptor. */
  readonly events?: string | undefined
  readonly quiet?: true | undefined
  readonly verbose?: true | undefined
  /** Plans are shown with every command that is sent. */
  readonly steps?: true | undefined
  /** False: nobody in `fleet.notify` is told. */
  readonly notify?: boolean | undefined
}

/** A run over hosts: what it is about, and how it reaches them, to look unless it says otherwise. Ended by `close`, whatever happens. */
export interface Run<View extends OpenView = OpenView> {
  readonly context: Context
  readonly flags: HostFlags
  readonly open: OpenFleet
  readonly keys: Keys
  /** How tokens for hubs are come by; absent: no hub is asked. */
  readonly resolve?: SecretResolver
  readonly connections: Connections<View>
  readonly emit: Emit
  observe(hosts: readonly string[], how: Pick<ObserveInput, 'keep' | 'phase'>): Promise<Observation>
  observeOne(host: Host): Promise<HostFacts>
  /** Lets go of the terminal, so that a result can be printed or a question asked. Progress may go on afterwards. */
  stopDisplay(): Promise<void>
  close(): Promise<void>
}

async function openRun<View extends OpenView>(openHost: OpenHost<View>, context: Context, flags: HostFlags): Promise<Run<View>> {
  await checkDestinations(flags)
  const open = withinReach(context, await openReported(context, flags))
  const { isClosed = false } = open
  const resolveSecret = createSecretResolver(context, { isClosed })
  const keys = await resolveKeys(open.fleet, open.names, resolveSecret)
  const connections = createConnections(context, open.fleet, isClosed ? openClosed(openHost) : openHost, {
    resolveSecret: isClosed ? withholdPassword : resolveSecret,
    timeoutMs: flags.timeout * 1000,
    ...defined({ sshConfig: flags.sshConfig }),
  })
  const events = flags.events === undefined ? undefined : eventsInto(flags.events, context)
  let display: Display | undefined
  const emit: Emit = (event) => {
    display ??= createDisplay(displayKind(context, flags), { stream: context.err.stream, env: context.env })
    const shown = shownEvent(event, context)
    display.emit(shown)
    events?.emit(shown)
  }
  const stopDisplay = async () => {
    await display?.stop()
    display = undefined
  }
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
    observeOne: (host) => observeHostFacts(context, input, host),
    stopDisplay,
    close: async () => {
      await stopDisplay()
      await connections.closeAll()
      await events?.close()
    },
  }
}

/** Of an inventory that may be a stranger's. */
function openClosed<View extends OpenView>(openHost: OpenHost<View>): OpenHost<View> {
  return async (host, options) => {
    mustStartNothing(host)
    return openHost(host, options)
  }
}

/** @throws ConvergeError `USAGE.OUTPUT_FILE` */
function eventsInto(target: string, { now }: Context): EventStream {
  try {
    return openEventStream(target, now)
  } catch (error) {
    throw notWritten(target, error, 'Nothing was done.')
  }
}

/** Members of events that are names of ours, not words of people or hosts. */
const ourNames: ReadonlySet<string> = new Set([
  'type',
  'phase',
  'host',
  'hosts',
  'action',
  'service',
  'status',
  'name',
  'undone',
  'code',
])

/** What hosts say is in events too, and nothing they say is shown before the redactor has seen it. */
function shownEvent(event: RunEvent, { redactor }: Context): RunEvent {
  const show = (text: string) => visibleText(redactor.redact(text))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only texts differ
  return mapStrings(event, show, ourNames) as RunEvent
}

function displayKind(context: Context, flags: HostFlags): DisplayKind {
  if (flags.quiet === true) return 'silent'
  if (!context.err.isTerminal || isSet(context.env['CI'])) return stdoutFormat(flags) === 'json' ? 'silent' : 'plain'
  return 'listr'
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== 'false' && value !== '0'
}

/** A run that looks, and cannot do anything else. */
export function withRun<T>(context: Context, flags: HostFlags, work: (run: Run) => Promise<T>): Promise<T> {
  return runOver(openView, context, flags, work)
}

/** Opens a run, does the work, and closes it whatever happens. */
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
