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
  'Umask',
  'Disabled',
  'environment.PATH',
  'environment.HOME',
])

/** What else makes the server what it is. `user` is the account of its process. */
const own: ReadonlySet<string> = new Set(['Label', 'UserName', 'user'])

/** How a field of an agent that converge did not write counts. */
export function concerns(field: string): 'server' | 'next-start' | undefined {
  const [first = ''] = field.split('.')
  if (ownWay.has(field) || ownWay.has(first)) return 'next-start'
  return first === 'command' || first === 'environment' || own.has(field) ? 'server' : undefined
}
