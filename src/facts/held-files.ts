import type { HeldFile } from '../model/file-identity.ts'
import type { ProcessRecord } from './process-record.ts'

type HeldFiles = Pick<ProcessRecord, 'executable' | 'mapped' | 'ownRoot'>
type Now = NonNullable<HeldFile['now']>

/** Reads the lines `l`, `h`, `f` and `n` that `processes-linux.ts` prints of one process. */
export function heldFiles(record: readonly string[]): HeldFiles {
  const now = nodesIn(record)
  const [program] = valuesOf(record, 'l')
  const mapped = record.includes('h') ? { mapped: valuesOf(record, 'f').flatMap((line) => mappedFile(line, now)) } : {}
  return { ...programFile(program, now), ...mapped, ...ownRoot(now) }
}

const gone = ' (deleted)'

/** By path as the process sees it; `program`: what runs, `host`: the root of the host. */
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

/** In a container, or where a unit has a root of its own. */
function ownRoot(now: ReadonlyMap<string, Now>): HeldFiles {
  const [host, own] = [now.get('host'), now.get('/.')]
  if (host === undefined || own === undefined) return {}
  return host.device === own.device && host.inode === own.inode ? {} : { ownRoot: true }
}

function programFile(told: string | undefined, now: ReadonlyMap<string, Now>): HeldFiles {
  const node = now.get('program')
  if (told === undefined || node === undefined) return {}
  return { executable: { ...placeOf(told, now), device: node.device, inode: node.inode } }
}

function mappedFile(line: string, now: ReadonlyMap<string, Now>): readonly HeldFile[] {
  const [, inode, told] = /^(\d+) (\/.*)$/.exec(line) ?? []
  return inode === undefined || told === undefined ? [] : [{ ...placeOf(told, now), inode }]
}

/** What the kernel calls deleted, and whose path leads nowhere, is gone; any other path without an answer could not be looked at. */
function placeOf(told: string, now: ReadonlyMap<string, Now>): Pick<HeldFile, 'path' | 'deleted' | 'now'> {
  const deleted = told.endsWith(gone)
  const path = deleted ? told.slice(0, -gone.length) : told
  const node = now.get(path)
  return { path, ...(deleted ? { deleted } : {}), ...(node === undefined ? nowhere(deleted) : { now: node }) }
}

function nowhere(deleted: boolean): Pick<HeldFile, 'now'> {
  return deleted ? { now: null } : {}
}

function valuesOf(lines: readonly string[], tag: string): readonly string[] {
  return lines.filter((line) => line.startsWith(`${tag} `)).map((line) => line.slice(tag.length + 1))
}
