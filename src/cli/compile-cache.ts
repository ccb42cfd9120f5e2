import { mkdirSync, statSync } from 'node:fs'
// By name it could not be imported from an older Node, which is to be told so and not to end in a stack trace.
import * as nodeModule from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Keeps what Node compiles, which is a third of the time of a short run, in a folder of the user's own. Node's default lies in the temporary
 * folder under a name that can be told beforehand: whoever made it first could have us run what he compiled.
 */
export function keepCompiled(env: Readonly<Record<string, string | undefined>>): void {
  try {
    const caches = env['XDG_CACHE_HOME']
    const folder = join(caches?.startsWith('/') === true ? caches : join(homedir(), '.cache'), 'converge')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { uid, mode } = statSync(folder)
    if (uid === process.getuid?.() && (mode & 0o022) === 0) nodeModule.enableCompileCache(folder)
  } catch {
    // No home, or none to write to: it is compiled each time.
  }
}
