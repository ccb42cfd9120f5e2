import { defined } from '../lib/defined.ts'
import type { FileStamp } from '../model/file-identity.ts'

const fileLine = /^file (\d+) (\d+) (\d+) (\d+) (\S+) (.+)$/
const linkLine = /^link (\d+) (.+)$/
const folderLine = /^folder (\d+) (.+)\/$/

/**
 * By path, from the lines of the probe's `stamp`. A file system that does not record birth times reports 0, `-` or `?`. A link in the path
 * (the file itself, or a folder above it) applies to every file behind it.
 */
export function stampsIn(lines: readonly string[]): ReadonlyMap<string, FileStamp> {
  const links = lines.flatMap((line) => {
    const [, time, path] = linkLine.exec(line) ?? []
    return time === undefined || path === undefined ? [] : [{ time: Number(time), path }]
  })
  const folders = new Map(
    lines.flatMap((line): [string, number][] => {
      const [, time, path] = folderLine.exec(line) ?? []
      return time === undefined || path === undefined ? [] : [[path, Number(time)]]
    }),
  )
  return new Map(
    lines.flatMap((line): [string, FileStamp][] => {
      const [, device, inode, modified, changed, made = '', path] = fileLine.exec(line) ?? []
      if (device === undefined || inode === undefined || path === undefined) return []
      const born = /^[1-9]\d*$/.test(made) ? { born: Number(made) } : {}
      const above = links.filter((link) => path === link.path || path.startsWith(`${link.path}/`)).map(({ time }) => time)
      const linked = above.length === 0 ? {} : { linked: Math.max(...above) }
      const folder = folders.get(path.slice(0, path.lastIndexOf('/')))
      const around = defined({ folderChanged: folder })
      return [[path, { device, inode, modified: Number(modified), changed: Number(changed), ...born, ...linked, ...around }]]
    }),
  )
}
