import { existsSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'

/** What every system has, from this machine: its programs are as good as any other's. */
const everywhere = `awk base64 basename cat chmod cmp cp cut date dd dirname echo env expr find grep ln ls mkdir mktemp mv nohup od openssl pwd
  rm rmdir sed sh shasum sleep sort sync tail tee test touch tr true uniq wc xargs`

const more = { linux: 'ps setsid sha256sum timeout', macos: 'bash df head perl' } as const

const systemFolders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']

/** Puts them into a folder for the path, so that nothing else of this machine is found there: not its Docker, nor what Macs do not have. */
export async function borrowPrograms(bin: string, system: keyof typeof more): Promise<void> {
  await mkdir(bin, { recursive: true })
  for (const name of `${everywhere} ${more[system]}`.split(/\s+/)) {
    const path = systemFolders.map((folder) => join(folder, name)).find(existsSync)
    if (path !== undefined) await symlink(path, join(bin, name))
  }
}
