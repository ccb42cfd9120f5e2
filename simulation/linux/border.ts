import { Transform } from 'node:stream'

/**
 * The box's root is a folder of this machine. Inside, every path has that folder in front; over the border it has not: scripts
 * come in and output goes out as on a real host.
 */

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

/**
 * Whatever stands in a here-document whose end is quoted is the content of a file, and arrives as it was sent: its digest counts.
 * The script that it stands in is one quoted word itself, so there are more quotes than one.
 */
const hereDocument = /<<['"]+(\w+)['"]+\n[\s\S]*?\n\1\n/g

/** The home of an account by its name, which a shell would look up among this machine's accounts. */
const homeByName = /(?<==)~(?=\\?\$user\b)/g

/** A path, or words with paths in them, as they are inside. */
export function inward(root: string, text: string): string {
  return text.replaceAll(ownPlace, root)
}

export function scriptInward(root: string, script: string): string {
  let inside = ''
  let from = 0
  for (const { 0: content, index } of script.matchAll(hereDocument)) {
    inside += codeInward(root, script.slice(from, index)) + content
    from = index + content.length
  }
  return inside + codeInward(root, script.slice(from))
}

function codeInward(root: string, code: string): string {
  return inward(root, code.replaceAll(homeByName, '/home/'))
}

/** Output on its way out. What could be the beginning of the root's path waits for what follows. */
export function outward(root: string): Transform {
  const needle = Buffer.from(`${root}/`)
  const slash = Buffer.from('/')
  let held = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let rest = Buffer.concat([held, chunk])
      for (let at = rest.indexOf(needle); at >= 0; at = rest.indexOf(needle)) {
        this.push(Buffer.concat([rest.subarray(0, at), slash]))
        rest = rest.subarray(at + needle.length)
      }
      const kept = beginning(rest, needle)
      held = rest.subarray(rest.length - kept)
      done(null, rest.subarray(0, rest.length - kept))
    },
    flush(done) {
      done(null, held)
    },
  })
}

/** How many of the last bytes are the first of the needle. */
function beginning(text: Buffer, needle: Buffer): number {
  for (let length = Math.min(text.length, needle.length - 1); length > 0; length--) {
    if (text.subarray(text.length - length).equals(needle.subarray(0, length))) return length
  }
  return 0
}
