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
  const names = `${everywhere} ${more[system]}`.split(/\s+/)
  const borrowed: string[] = []
  for (const name of names) if ((await borrowProgram(folder, { name, copied })) !== undefined) borrowed.push(name)
  return borrowed
}

/** @returns its path in the folder; undefined: this machine has no such program */
export async function borrowProgram(
  folder: string,
  { name, copied }: { readonly name: string } & Pick<Borrowing, 'copied'>,
): Promise<string | undefined> {
  const path = systemFolders.map((one) => join(one, name)).find(existsSync)
  if (path === undefined) return undefined
  await mkdir(folder, { recursive: true })
  const target = join(folder, name)
  await (copied ? copyFile(path, target, constants.COPYFILE_FICLONE) : symlink(path, target))
  return target
}
