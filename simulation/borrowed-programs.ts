import { constants, existsSync } from 'node:fs'
import { copyFile, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'

/** What every system has, from this machine: its programs are as good as any other's. */
const everywhere = `awk base64 basename cat chmod cmp cp cut date dd dirname echo env expr find grep head ln ls mkdir mktemp mv nohup od openssl
  perl pwd rm rmdir sed sh shasum sleep sort sync tail tee test touch tr true uniq wc xargs`

const more = { linux: 'setsid sha256sum timeout', macos: 'bash' } as const

const systemFolders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']

export interface Borrowing {
  readonly system: keyof typeof more
  /** Nothing outside of the simulated host can be seen from where they run, so that a link would lead nowhere. */
  readonly copied: boolean
}

/**
 * Puts them into a folder, so that nothing else of this machine is found there: not its Docker, nor what Macs do not have.
 *
 * @returns their names
 */
export async function borrowPrograms(folder: string, { system, copied }: Borrowing): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true })
  const names = `${everywhere} ${more[system]}`.split(/\s+/)
  const found = names.flatMap((name) => {
    const path = systemFolders.map((one) => join(one, name)).find(existsSync)
    return path === undefined ? [] : [{ name, path }]
  })
  for (const { name, path } of found) {
    await (copied ? copyFile(path, join(folder, name), constants.COPYFILE_FICLONE) : symlink(path, join(folder, name)))
  }
  return found.map(({ name }) => name)
}
