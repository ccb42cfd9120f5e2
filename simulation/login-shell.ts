import type { Sandbox } from './sandbox.ts'

/** Runs a command line on a simulated host, as the last of these words, in the home of its account and with nothing else in the environment. */
export function loginShellOf(environment: Readonly<Record<string, string>>, sandbox: Sandbox | undefined): readonly string[] {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  const start = ['/usr/bin/env', '-i', ...variables]
  if (sandbox === undefined) return [...start, '/bin/sh', '-c']
  // A shell that enters starts at its root.
  return [...start, ...sandbox.enter, '/bin/sh', '-c', 'cd && exec /bin/sh -c "$1"', 'sh']
}
