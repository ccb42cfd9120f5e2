/** Directives that converge renders in its own way; a server runs the same without them. */
const ownWay: ReadonlySet<string> = new Set([
  'Description',
  'Documentation',
  'After',
  'Wants',
  'Before',
  'StartLimitIntervalSec',
  'StartLimitBurst',
  'StartLimitInterval',
  'Type',
  'Restart',
  'RestartSec',
  'RestartPreventExitStatus',
  'TimeoutStopSec',
  'TimeoutStartSec',
  'TimeoutSec',
  'KillSignal',
  'StandardOutput',
  'StandardError',
  'SyslogIdentifier',
  'WorkingDirectory',
  'UMask',
  'WantedBy',
  'environment.PATH',
  'environment.HOME',
])

/** How a directive of a unit that converge did not write counts. */
export function concerns(field: string): 'server' | 'next-start' | undefined {
  const [first = ''] = field.split('.')
  if (ownWay.has(field) || ownWay.has(first)) return 'next-start'
  return first === 'command' || first === 'environment' || field === 'User' || field === 'user' ? 'server' : undefined
}
