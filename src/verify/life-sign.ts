import { assertNever } from '../errors/assert-never.ts'
import { lastLines } from '../lib/last-lines.ts'
import { guiDomain } from '../managers/launchd/agent-functions.ts'
import { ReadOnlyScript } from '../transports/read-only-script.ts'
import type { CommandResult, HostView } from '../transports/transport.ts'
import type { LifeSign } from './smoke-deps.ts'

/** How the supervisor of one service is spoken to. */
export type ServiceHandle =
  /** `docker`: absolute path of the client. */
  | { readonly manager: 'compose'; readonly docker: string; readonly container: string }
  | { readonly manager: 'systemd'; readonly unit: string }
  | { readonly manager: 'launchd'; readonly label: string; readonly log: string }

const timeoutMs = 30_000
const logLines = 12

/** Asks the supervisor whether the process lives and how often it was restarted. A host that cannot say leaves it unknown. */
export async function askLife(transport: HostView, handle: ServiceHandle, signal?: AbortSignal): Promise<LifeSign> {
  const ask = (script: string, args: readonly string[]) => send(transport, script, args, signal)
  switch (handle.manager) {
    case 'compose':
      return readContainer(await ask(containerScript, [handle.docker, handle.container]))
    case 'systemd':
      return readUnit(await ask(unitScript, [handle.unit]))
    case 'launchd':
      return readAgent(await ask(agentScript, [handle.label]))
    default:
      return assertNever(handle)
  }
}

/** The end of a server's log, oldest line first; empty when there is none to be had. */
export async function readLastLog(transport: HostView, handle: ServiceHandle, signal?: AbortSignal): Promise<string> {
  const { stdout } = await send(transport, logScripts[handle.manager], logArgs(handle), signal)
  return lastLines(stdout, logLines)
}

function logArgs(handle: ServiceHandle): readonly string[] {
  if (handle.manager === 'compose') return [String(logLines), handle.docker, handle.container]
  return [String(logLines), handle.manager === 'systemd' ? handle.unit : handle.log]
}

const containerFormat = '{{.State.Status}} {{.RestartCount}} {{.State.ExitCode}} {{.State.OOMKilled}}'
const containerScript = `exec "$1" inspect --type container --format '${containerFormat}' "$2"`
const unitScript = 'exec systemctl show -p LoadState -p ActiveState -p SubState -p NRestarts -p Result -p ExecMainStatus -- "$1"'
const agentScript = `exec launchctl print "${guiDomain}/$1"`
const logScripts: Readonly<Record<ServiceHandle['manager'], string>> = {
  compose: 'exec "$2" logs --tail "$1" "$3" 2>&1',
  systemd: 'exec journalctl --no-pager --quiet -o cat -n "$1" -u "$2"',
  launchd: 'exec tail -n "$1" "$2"',
}

async function send(
  transport: HostView,
  script: string,
  args: readonly string[],
  signal: AbortSignal | undefined,
): Promise<CommandResult> {
  const text = ['PATH="$PATH:/usr/sbin:/sbin"; export PATH\n', `{ ${script}\n} </dev/null\n`]
  const asked = ReadOnlyScript.vouchedFor({ label: 'ask the supervisor', text, args, elevate: true, timeoutMs })
  return transport.look(asked, signal === undefined ? {} : { signal })
}

type Said = Pick<CommandResult, 'exitCode' | 'stdout' | 'stderr'>

/** `docker inspect`: running and paused live; restarting is between two lives, which is how a crash looks. */
export function readContainer({ exitCode, stdout, stderr }: Said): LifeSign {
  if (exitCode !== 0 && /no such (container|object)/i.test(stderr)) return { state: 'dead', detail: 'there is no container' }
  const [, status, restarts, code, oom] = /^(\w+) (\d+) (-?\d+) (true|false)$/m.exec(stdout.trim()) ?? []
  if (exitCode !== 0 || status === undefined) return { state: 'unknown', detail: lastLines(stderr, 1) }
  const alive = status === 'running' || status === 'paused'
  const ended = `${status}, exit status ${code}${oom === 'true' ? ', killed for want of memory' : ''}`
  return { state: alive ? 'alive' : 'dead', restarts: Number(restarts), detail: alive ? status : ended }
}

/** `systemctl show`: exit status 0 even for units that do not exist. */
export function readUnit({ exitCode, stdout, stderr }: Said): LifeSign {
  const values = new Map(stdout.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
  const [load, active, sub] = ['LoadState', 'ActiveState', 'SubState'].map((name) => values.get(name))
  if (exitCode !== 0 || active === undefined) return { state: 'unknown', detail: lastLines(stderr, 1) }
  if (load === 'not-found') return { state: 'dead', detail: 'there is no such unit' }
  const lives = ['active', 'activating', 'reloading', 'deactivating'].includes(active) && sub?.startsWith('auto-restart') !== true
  const ended = `${active} (${sub ?? ''}), ${values.get('Result') ?? ''}, exit status ${values.get('ExecMainStatus') ?? ''}`
  const restarts = Number(values.get('NRestarts') ?? Number.NaN)
  return { state: lives ? 'alive' : 'dead', detail: lives ? active : ended, ...(Number.isNaN(restarts) ? {} : { restarts }) }
}

/**
 * `launchctl print`: a format that nobody promises; only lines of the outermost block (one tab) are read. 113: not loaded; 112 and
 * 125 only say that this session may not look. A job that waits for its next spawn is neither alive nor dead.
 */
export function readAgent({ exitCode, stdout, stderr }: Said): LifeSign {
  if (exitCode === 113) return { state: 'dead', detail: 'it is not loaded' }
  const field = (name: string) => new RegExp(`^\\t${name} = (.*)$`, 'm').exec(stdout)?.[1]
  const state = field('state')
  if (exitCode !== 0 || state === undefined) return { state: 'unknown', detail: lastLines(stderr, 1) }
  const runs = Number(field('runs') ?? Number.NaN)
  // The first run is no restart.
  const counted = Number.isNaN(runs) ? {} : { restarts: Math.max(0, runs - 1) }
  if (field('pid') !== undefined) return { state: 'alive', detail: state, ...counted }
  const ended = field('last exit code') ?? field('last terminating signal') ?? field('last exit reason') ?? 'not told'
  return { state: state === 'not running' ? 'dead' : 'unknown', detail: `${state}, last exit: ${ended}`, ...counted }
}
