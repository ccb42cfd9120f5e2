import { runInTerminal } from '../child-process.ts'
import type { Destination } from '../settings/destination.ts'
import { resolveSettings } from '../settings/resolve-settings.ts'
import type { TransportOptions } from '../transport-options.ts'

/**
 * Has the user's own ssh ask whether to trust the key of a host, on the terminal, and remember the answer: it shows the fingerprint and writes the
 * known-hosts file as it always does. It does not log in. Whether the answer was yes shows when the host is connected to again. Nothing is asked if
 * the ssh config says that only known keys count.
 */
export async function askForKey(
  destination: Destination,
  options: Pick<TransportOptions, 'env' | 'signal' | 'sshConfig' | 'startLimiter'>,
): Promise<void> {
  const settings = await resolveSettings(destination, options)
  if (['yes', 'true'].includes(settings.knownHosts.strict)) return
  const args = Object.entries(onlyTheQuestion).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  await runInTerminal('ssh', [...settings.arguments, ...args, '-T', '--', destination.name, 'true'], options)
}

/** Options of ssh_config(5): without a login there is nothing but the key of the host. */
const onlyTheQuestion = {
  StrictHostKeyChecking: 'ask',
  BatchMode: 'no',
  PreferredAuthentications: 'none',
  // A connection that is open already asks nothing.
  ControlPath: 'none',
  ClearAllForwardings: 'yes',
  PermitLocalCommand: 'no',
  // It would say that the login failed.
  LogLevel: 'QUIET',
}
