import { existsSync, mkdirSync, statSync } from 'node:fs'
// By name it could not be imported from an older Node, which is to be told so and not to end in a stack trace.
import * as nodeModule from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Keeps what Node compiles, a tenth of the time of a short run, in a folder of the user's own. Node's default lies in the temporary
 * folder under a name that can be told beforehand: whoever made it first could have us run what he compiled.
 */
export function keepCompiled(env: Readonly<Record<string, string | undefined>>): void {
  try {
    const given = env['XDG_CACHE_HOME']
    const caches = given?.startsWith('/') === true ? given : join(homedir(), '.cache')
    const folder = join(caches, 'converge')
    // A home that does not exist is not made.
    for (const one of [caches, folder]) if (!existsSync(one)) mkdirSync(one, { mode: 0o700 })
    const { uid, mode } = statSync(folder)
    if (uid === process.getuid?.() && (mode & 0o022) === 0) nodeModule.enableCompileCache(folder)
  } catch {
    // No home, or none to write to: it is compiled each time.
  }
}
