/** Settings that converge renders in its own way; a server runs the same without them. */
const ownWay: ReadonlySet<string> = new Set([
  'RunAtLoad',
  'KeepAlive',
  'ProcessType',
  'ExitTimeOut',
  'ThrottleInterval',
  'StandardOutPath',
  'StandardErrorPath',
  'StandardInPath',
  'WorkingDirectory',
  'LimitLoadToSessionType',
  'LegacyTimers',
  'Disabled',
  'environment.PATH',
  'environment.HOME',
])

/** How a field of an agent that converge did not write counts. */
export function concerns(field: string): 'server' | 'next-start' | undefined {
  const [first = ''] = field.split('.')
  if (ownWay.has(field) || ownWay.has(first)) return 'next-start'
  return first === 'command' || first === 'environment' || field === 'Label' ? 'server' : undefined
}
