import { existsSync, mkdirSync, statSync } from 'node:fs'
// A named import would fail on an older Node with a stack trace, before our message about its version.
import * as nodeModule from 'node:module'
import { dirname } from 'node:path'
import { cacheFolder } from '../context/cache-folder.ts'

/**
 * Caches compiled code in a folder of the user, which saves a tenth of a short run. Node's default has a predictable name in the temporary
 * folder: another account could create it first and make us run its code.
 */
export function keepCompiled(env: Readonly<Record<string, string | undefined>>): void {
  try {
    const folder = cacheFolder(env)
    // A home that does not exist is not made.
    for (const one of [dirname(folder), folder]) if (!existsSync(one)) mkdirSync(one, { mode: 0o700 })
    const { uid, mode } = statSync(folder)
    if (uid === process.getuid?.() && (mode & 0o022) === 0) nodeModule.enableCompileCache(folder)
  } catch {
    // No home, or none to write to: it is compiled each time.
  }
}
