import type { HeldFile } from '../model/file-identity.ts'
import type { ProcessRecord } from './process-record.ts'

type HeldFiles = Pick<ProcessRecord, 'executable' | 'mapped' | 'ownRoot'>
type Now = NonNullable<HeldFile['now']>

/** Reads the lines `l`, `h`, `f` and `n` that `processes-linux.ts` prints for one process. */
export function heldFiles(record: readonly string[]): HeldFiles {
  const now = nodesIn(record)
  const [program] = valuesOf(record, 'l')
  const mapped = record.includes('h') ? { mapped: valuesOf(record, 'f').flatMap((line) => mappedFile(line, now)) } : {}
  return { ...programFile(program, now), ...mapped, ...ownRoot(now) }
}

const gone = ' (deleted)'

/** By path as the process sees it; `program`: the running executable, `host`: the root of the host. */
function nodesIn(record: readonly string[]): ReadonlyMap<string, Now> {
  return new Map(
    valuesOf(record, 'n').flatMap((line): [string, Now][] => {
      const [, device, inode, changed, place, path] =
        /^(\d+) (\d+) (\d+) (?:\/proc\/\d+\/(exe|root(?=\/)))?(\/?.*)$/.exec(line) ?? []
      if (device === undefined || inode === undefined) return []
      const node = { device, inode, changed: Number(changed) }
      if (place === 'exe') return [['program', node]]
      return [[place === undefined ? 'host' : (path ?? ''), node]]
    }),
  )
}

/** Whether it has its own root: in a container, or by a setting of its unit. */
function ownRoot(now: ReadonlyMap<string, Now>): HeldFiles {
  const [host, own] = [now.get('host'), now.get('/.')]
  if (host === undefined || own === undefined) return {}
  return host.device === own.device && host.inode === own.inode ? {} : { ownRoot: true }
}

function programFile(target: string | undefined, now: ReadonlyMap<string, Now>): HeldFiles {
  const node = now.get('program')
  if (target === undefined || node === undefined) return {}
  return { executable: { ...locate(target, now), device: node.device, inode: node.inode } }
}

function mappedFile(line: string, now: ReadonlyMap<string, Now>): readonly HeldFile[] {
  const [, inode, target] = /^(\d+) (\/.*)$/.exec(line) ?? []
  return inode === undefined || target === undefined ? [] : [{ ...locate(target, now), inode }]
}

/** A path that the kernel calls deleted and that leads nowhere is gone; any other path without an answer could not be checked. */
function locate(target: string, now: ReadonlyMap<string, Now>): Pick<HeldFile, 'path' | 'deleted' | 'now'> {
  const deleted = target.endsWith(gone)
  const path = deleted ? target.slice(0, -gone.length) : target
  const node = now.get(path)
  return { path, ...(deleted ? { deleted } : {}), ...(node === undefined ? nowhere(deleted) : { now: node }) }
}

function nowhere(deleted: boolean): Pick<HeldFile, 'now'> {
  return deleted ? { now: null } : {}
}

function valuesOf(lines: readonly string[], tag: string): readonly string[] {
  return lines.filter((line) => line.startsWith(`${tag} `)).map((line) => line.slice(tag.length + 1))
}
