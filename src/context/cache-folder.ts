import { homedir } from 'node:os'
import { join } from 'node:path'

/** Holds compiled code, and nothing that is missed when it is deleted. */
export function cacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  const given = env['XDG_CACHE_HOME']
  return join(given?.startsWith('/') === true ? given : join(homedir(), '.cache'), 'converge')
}
