import type { Border } from '../border.ts'

/** Folders of the root that are the box's own. `/bin/sh`, `/dev` and `/tmp` are this machine's. */
export const ownFolders = [
  'etc',
  'etc.defaults',
  'home',
  'mnt',
  'opt',
  'proc',
  'root',
  'run',
  'sbin',
  'share',
  'snap',
  'srv',
  'sys',
  'usr',
  'var',
] as const

/** Where an absolute path begins: not in the middle of one, not behind a variable, not in a regular expression. */
const ownPlace = new RegExp(String.raw`(?<![\w.*?$})~/\\-])(?=/(?:${ownFolders.join('|').replace('.', '\\.')})(?![\w.-]))`, 'g')

/** The box's root is a folder of this machine. */
export function borderOf(root: string): Border {
  return { root, places: ownPlace, homes: '/home/' }
}
