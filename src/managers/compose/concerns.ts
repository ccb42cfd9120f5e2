/** Keys that converge renders in its own way; a server runs the same without them. */
const ownWay: ReadonlySet<string> = new Set([
  'container_name',
  'restart',
  'init',
  'stop_grace_period',
  'stop_signal',
  'healthcheck',
  'logging',
  'labels',
  'expose',
  'tty',
  'stdin_open',
  'mount',
  'pull_policy',
  'definition',
])

/** How a key of a compose service that converge did not write counts. */
export function concerns(field: string): 'server' | 'next-start' | undefined {
  const [first = ''] = field.split('.')
  if (ownWay.has(first)) return 'next-start'
  return server.has(first) ? 'server' : undefined
}

const server: ReadonlySet<string> = new Set(['image', 'command', 'environment'])
