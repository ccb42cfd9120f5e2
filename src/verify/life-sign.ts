import { defined } from '../lib/defined.ts'
import { lastLines } from '../lib/last-lines.ts'
import type { Supervisor } from '../managers/supervisor.ts'
import type { LifeSign } from '../model/life-sign.ts'
import { ReadOnlyScript } from '../transports/read-only-script.ts'
import type { CommandResult, HostView } from '../transports/transport.ts'

const timeoutMs = 30_000
const logLines = 12

/** Asks the supervisor whether the process lives and how often it was restarted. Unknown if the host cannot answer. */
export async function askLife(transport: HostView, { life, readLife }: Supervisor, signal?: AbortSignal): Promise<LifeSign> {
  return readLife(await send(transport, life.script, life.args, signal))
}

/** The end of a server's log, oldest line first; empty if unavailable. */
export async function readLastLog(transport: HostView, { log }: Supervisor, signal?: AbortSignal): Promise<string> {
  const { stdout } = await send(transport, log.script, [String(logLines), ...log.args], signal)
  return lastLines(stdout, logLines)
}

async function send(
  transport: HostView,
  script: string,
  args: readonly string[],
  signal: AbortSignal | undefined,
): Promise<CommandResult> {
  const text = ['PATH="$PATH:/usr/sbin:/sbin"; export PATH\n', `{ ${script}\n} </dev/null\n`]
  const asked = ReadOnlyScript.vouchedFor({ label: 'ask the supervisor', text, args, elevate: true, timeoutMs })
  return transport.look(asked, defined({ signal }))
}
