import { defined } from '../lib/defined.ts'
import type { Supervisor } from '../managers/supervisor.ts'
import type { LifeSign } from '../model/life-sign.ts'
import { ReadOnlyScript } from '../transports/read-only-script.ts'
import type { CommandResult, HostView } from '../transports/transport.ts'

const timeoutMs = 30_000

/** Asks the supervisor whether the process lives and how often it was restarted. Unknown if the host cannot answer. */
export async function askLife(transport: HostView, { life, readLife }: Supervisor, signal?: AbortSignal): Promise<LifeSign> {
  return readLife(await send(transport, life.script, life.args, signal))
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
