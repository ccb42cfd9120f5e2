import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A folder for the front of the PATH with a docker client whose engine has nothing, for tests about other things than containers. They see
 * no container of this machine, and five starts of the real client take a quarter of a look.
 */
export function idleDocker(folder: string): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const answers = `*version*) echo 27.0.0 ;; image*) echo 'Error: No such image' >&2; exit 1 ;;`
  writeFileSync(join(bin, 'docker'), `#!/bin/sh\ncase "$*" in ${answers} esac\n`)
  chmodSync(join(bin, 'docker'), 0o755)
  return bin
}
