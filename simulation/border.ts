import { Transform } from 'node:stream'

/**
 * Files of a simulated host are in a folder of this machine. Inside, their paths begin with that folder; across the border they do
 * not: scripts and output have the paths of a real host.
 */
export interface Border {
  readonly root: string
  /** Where the path of such a place begins; matches no letter. */
  readonly places: RegExp
  /** Where the homes of its accounts are, as it is to be written in a script. */
  readonly homes: string
}

/** A path, or words with paths in them, as they are inside. */
export function inward({ root, places }: Border, text: string): string {
  return text.replaceAll(places, root)
}

/**
 * Whatever stands in a here-document whose end is quoted is the content of a file, and arrives as it was sent: its digest counts.
 * The script that it stands in is one quoted word itself, so there are more quotes than one.
 */
const hereDocument = /<<['"]+(\w+)['"]+\n[\s\S]*?\n\1\n/g

/** The home of an account by its name, which a shell would look up among this machine's accounts. */
const homeByName = /(?<==)~(?=\\?\$user\b)/g

export function scriptInward(border: Border, script: string): string {
  let inside = ''
  let from = 0
  for (const { 0: content, index } of script.matchAll(hereDocument)) {
    inside += codeInward(border, script.slice(from, index)) + content
    from = index + content.length
  }
  return inside + codeInward(border, script.slice(from))
}

function codeInward(border: Border, code: string): string {
  return inward(border, code.replaceAll(homeByName, border.homes))
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
