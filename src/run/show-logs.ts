import { type ExitCode, exitCodes, worstOf } from '../context/exit-code.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { hostBug } from '../errors/host-bug.ts'
import { expandAsked } from '../facts/asked-path.ts'
import { defined } from '../lib/defined.ts'
import { type AskedLog, type LogReceiver, readLogs } from '../logs/read-logs.ts'
import { managers } from '../managers/index.ts'
import { askedKeyFile } from '../managers/key-file.ts'
import { heldSuffix, previousSuffix } from '../model/beside.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Host, Service } from '../model/fleet.ts'
import type { Problem } from '../model/plan.ts'
import { createLogPrinter, type LogPrinter, type LogStyle } from './log-printer.ts'
import type { Run } from './run.ts'
import { unseenExit } from './unseen-exit.ts'

export interface LogOptions extends LogStyle {
  readonly follow: boolean
  /** From the end of each log; absent: the default. */
  readonly lines?: number | 'all'
  /** As `readLogs` takes it. */
  readonly since?: string
}

export interface HostOfLogs {
  readonly host: Host
  readonly services: readonly Service[]
}

interface Showing {
  readonly run: Run
  readonly options: LogOptions
  readonly printer: LogPrinter
}

const usualLines = 100

/** Prints the logs of services to stdout, and to stderr why one is not shown. */
export async function showLogs(run: Run, hosts: readonly HostOfLogs[], options: LogOptions): Promise<ExitCode> {
  const asked = hosts.map(({ host }) => host)
  const seen = await run.observe(asked, { keep: true, phase: 'gather', about: 'places' })
  await run.stopDisplay()
  const targets = hosts.flatMap(({ host, services }) => services.map(({ name }) => ({ host: host.name, service: name })))
  const showing = { run, options, printer: createLogPrinter(run.context, targets, options) }
  let before: Promise<unknown> = Promise.resolve()
  const exits = await Promise.all(
    hosts.map((one) => {
      // What is not followed comes in order: the next host waits, and sends no more than its connection holds.
      const shown = showHost(showing, one, { facts: seen.get(one.host.name), turn: options.follow ? Promise.resolve() : before })
      before = shown
      return shown
    }),
  )
  return showing.printer.isClosed() ? exitCodes.done : worstOf(exits)
}

interface HostTurn {
  readonly facts: HostFacts | Problem | undefined
  /** When its lines may be printed. */
  readonly turn: Promise<unknown>
}

/** Never rejects because of the host: its trouble is its own. */
async function showHost(showing: Showing, one: HostOfLogs, { facts, turn }: HostTurn): Promise<ExitCode> {
  const { run, printer } = showing
  const { host } = one
  const leaveOut = (problem: Problem): ExitCode => {
    printer.note(host.name, `${problem.summary} ${problem.why}`)
    return unseenExit(problem)
  }
  if (facts === undefined) return exitCodes.unreachable
  if (!('salt' in facts)) return leaveOut(facts)
  try {
    return await readHost(showing, one, { facts, turn })
  } catch (error) {
    if (printer.signal.aborted && !(error instanceof ConvergeError)) return exitCodes.interrupted
    return leaveOut(hostBug(host.name, error).toProblem())
  } finally {
    await run.connections.release(host)
  }
}

interface SeenHost extends HostTurn {
  readonly facts: HostFacts
}

async function readHost(showing: Showing, { host, services }: HostOfLogs, { facts, turn }: SeenHost): Promise<ExitCode> {
  const { run, options, printer } = showing
  const { follow, since } = options
  const asked = services.map((service) => askedOf(showing, service, facts))
  const logs = asked.flatMap((one) => one.logs.map((log) => ({ name: one.name, log })))
  const received = receiverFor(showing, { host: host.name, names: logs.map(({ name }) => name), turn })
  for (const { name, note } of asked) if (note !== undefined) printer.note(`${name}@${host.name}`, note)
  if (logs.length > 0) {
    const request = { logs: logs.map(({ log }) => log), follow, keyFiles: keyFilesOf(host, facts), ...defined({ since }) }
    await readLogs(await run.connections.to(host), request, received.to, printer.signal)
    received.noteSilent()
  }
  return worstOf([...asked.map(({ exit }) => exit), ...received.exits])
}

interface AskedService {
  readonly name: string
  readonly logs: readonly AskedLog[]
  /** Why it has none, or how it is read otherwise than asked. */
  readonly note?: string
  readonly exit: ExitCode
}

function askedOf({ run, options }: Showing, service: Service, facts: HostFacts): AskedService {
  const { name } = service
  const manager = managers[service.manager]
  const supervisor = manager.supervisor(service, facts, run.open.fleet.settings.org)
  if (supervisor === undefined) {
    const note = manager.isMissing(facts)
      ? `the host has no ${manager.name}`
      : 'where its log is could not be observed; `converge facts` shows why'
    return { name, logs: [], note, exit: exitCodes.unreachable }
  }
  const { lines, since } = options
  const logs = supervisor.logs.map((source) => ({
    source,
    lines: lines ?? (since === undefined || source.in === 'file' ? usualLines : 'all'),
  }))
  const exit = exitCodes.done
  if (logs.length === 0) return { name, logs, note: 'its definition sends its output nowhere', exit }
  if (since === undefined || !logs.some(({ source }) => source.in === 'file')) return { name, logs, exit }
  return { name, logs, note: 'its log file has no times, so --since does not apply to it', exit }
}

interface Receiving {
  readonly host: string
  /** The service of each log. */
  readonly names: readonly string[]
  readonly turn: Promise<unknown>
}

function receiverFor({ options, printer }: Showing, { host, names, turn }: Receiving) {
  const silent = new Set(names)
  const exits: ExitCode[] = []
  const heard = (log: number): string => {
    const name = names[log] ?? ''
    silent.delete(name)
    return name
  }
  const to: LogReceiver = {
    line: async (log, line) => {
      const service = heard(log)
      await turn
      await printer.line({ host, service }, line)
    },
    trouble: (log, { kind, why }) => {
      printer.note(`${heard(log)}@${host}`, kind === 'missing' && options.follow ? `${why} yet` : why)
      if (kind === 'unreadable') exits.push(exitCodes.unreachable)
    },
  }
  const noteSilent = (): void => {
    // Nothing was asked for.
    if (options.lines === 0) return
    for (const name of silent)
      printer.note(`${name}@${host}`, options.since === undefined ? 'its log is empty' : 'nothing since then')
  }
  return { to, exits, noteSilent }
}

/** Where converge keeps keys on the host: what a server was started with may not be what the inventory has today. */
function keyFilesOf({ services }: Host, { layout }: HostFacts): readonly string[] {
  if (!layout.known) return []
  const paths = services.map((service) => expandAsked(askedKeyFile(service), layout.value))
  return paths.flatMap((path) => [path, `${path}${heldSuffix}`, `${path}${previousSuffix}`])
}
