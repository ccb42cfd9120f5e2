import { complaint } from '../facts/fact.ts'
import { type Pulse, pulseScript, readPulse } from '../facts/pulse.ts'
import { defined } from '../lib/defined.ts'
import type { Platform } from '../model/names.ts'
import { type Observed, unknown } from '../model/observed.ts'
import { ReadOnlyScript } from '../transports/read-only-script.ts'
import type { HostView } from '../transports/transport.ts'

const timeoutMs = 10_000

/** Asks a host for its memory and for these processes, as the login account. Throws `ConvergeError` if the connection fails. */
export async function takePulse(
  view: HostView,
  { platform, pids, signal }: { readonly platform: Platform; readonly pids: readonly number[]; readonly signal?: AbortSignal },
): Promise<Observed<Pulse>> {
  const script = {
    label: 'look at memory and processes',
    text: [pulseScript(platform)],
    args: pids.map(String),
    elevate: false,
    timeoutMs,
  }
  const { exitCode, stdout, stderr, timedOut } = await view.look(ReadOnlyScript.vouchedFor(script), defined({ signal }))
  if (timedOut) return unknown('timed-out')
  return exitCode === 0 ? readPulse(stdout, platform) : complaint({ status: exitCode ?? 1, stderr })
}
