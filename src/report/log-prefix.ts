import type { Paint, PaintStyle } from './paint.ts'

/** Whose log a line is of. */
export interface LogTarget {
  readonly host: string
  readonly service: string
}

const colours: readonly (readonly PaintStyle[])[] = [
  ['cyan'],
  ['yellow'],
  ['green'],
  ['magenta'],
  ['bold', 'cyan'],
  ['bold', 'yellow'],
  ['bold', 'green'],
  ['bold', 'magenta'],
]

/**
 * What stands before each line: `coder@nas | `, as wide as the widest and in a colour of its own. The host is left out where there is only one, and everything
 * for a single log.
 */
export function logPrefixes(targets: readonly LogTarget[], paint: Paint): (target: LogTarget) => string {
  if (targets.length < 2) return () => ''
  const isOneHost = new Set(targets.map(({ host }) => host)).size === 1
  const names = targets.map(({ host, service }) => (isOneHost ? service : `${service}@${host}`))
  const width = Math.max(...names.map((name) => name.length))
  const prefixes = names.map((name, index) => `${paint(colours[index % colours.length] ?? [], `${name.padEnd(width)} |`)} `)
  const byTarget = new Map(targets.map(({ host, service }, index) => [`${service}@${host}`, prefixes[index] ?? '']))
  return ({ host, service }) => byTarget.get(`${service}@${host}`) ?? ''
}
