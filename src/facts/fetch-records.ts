import { parseObject } from '../lib/json-object.ts'
import { known, type Observed, type Unknown, unknown } from '../model/observed.ts'
import type { Entry, FetchedFile, FetchRecord, JobOrigin, RecordedJob } from '../model/prune.ts'
import { aliveOf, counted, hashedOf, newest, valueOf, wantOf } from './fetches.ts'

/** Reads the output of `print_records`. Incomplete output is unknown: the missing record could be of any download. */
export function readFetchRecords(text: string): Observed<readonly FetchRecord[]> {
  const [state, ...lines] = text.replace(/\n$/, '').split('\n')
  if (state === 'state hidden') return unknown('not-permitted', 'the folder of the downloads is not readable')
  if ((state !== 'state there' && state !== 'state absent') || lines.at(-1) !== 'whole') return cut
  const body = lines.slice(0, -1)
  if (body.at(-1) === 'more') return unknown('unreadable', 'the folder has too many downloads')
  if (state === 'state absent') return body.length === 0 ? known([]) : cut
  return recordsIn(body)
}

const cut = unknown('unreadable', 'the list of downloads is incomplete')

function recordsIn(lines: readonly string[]): Observed<readonly FetchRecord[]> {
  const records = new Map<string, FetchRecord['job']>()
  for (let rest = lines; rest.length > 0; ) {
    const id = /^job ([0-9a-f]{16})$/.exec(rest[0] ?? '')?.[1]
    if (id === undefined || records.has(id)) return cut
    const read = rest[1] === 'hidden' ? { job: hidden(id), rest: rest.slice(2) } : readJob(rest.slice(1))
    if ('known' in read) return read
    records.set(id, read.job)
    rest = read.rest
  }
  return known([...records].map(([id, job]) => ({ id, job })))
}

function hidden(id: string): Unknown {
  return unknown('not-permitted', `fetch/${id} is not readable`)
}

type Read = { readonly job: Observed<RecordedJob>; readonly rest: readonly string[] }

function readJob([aliveLine, saidLine, aboutLine, ...lines]: readonly string[]): Read | Unknown {
  const lists = listsIn(lines)
  if ('known' in lists) return lists
  const { wants, digests, entries, rest } = lists
  const [alive, said, about] = [aliveOf(aliveLine), valueOf(saidLine, 'said'), valueOf(aboutLine, 'about')]
  if (alive === undefined || said === undefined || about === undefined) return cut
  const made = lists.fetched.filter((one) => one !== 'nothing')
  const isEmpty = about === '' && wants.length === 0 && made.length === 0
  const origin = isEmpty ? null : originOf(about)
  if (origin === undefined)
    return { job: unknown('unreadable', 'the record of a download does not say which service it was for'), rest }
  return {
    job: known({
      about: origin,
      alive,
      state: stateOf(said),
      wants: wants.map(({ path, digest }) => ({ path, digest })),
      fetched: [...new Map(made.map((one) => [one.path, one])).values()],
      digests: newest(digests),
      entries: withTrees(entries),
    }),
    rest,
  }
}

function listsIn(lines: readonly string[]) {
  const wants = counted(lines, 'wants', wantOf)
  if ('known' in wants) return wants
  const fetched = counted(wants.rest, 'fetched', madeOf)
  if ('known' in fetched) return fetched
  const digests = counted(fetched.rest, 'digests', hashedOf)
  if ('known' in digests) return digests
  const entries = counted(digests.rest, 'entries', entryOf)
  if ('known' in entries) return entries
  return {
    wants: wants.values,
    fetched: fetched.values,
    digests: digests.values,
    entries: entries.values,
    rest: entries.rest,
  }
}

function stateOf(said: string): RecordedJob['state'] {
  const word = said.split(' ', 1)[0]
  return word === 'working' || word === 'done' || word === 'failed' || word === 'stopped' ? word : null
}

/** Undefined: unreadable. */
function originOf(text: string): JobOrigin | undefined {
  const { model, services, owner, controller, inventory } = parseObject(text) ?? {}
  if (typeof model !== 'string' || !isPlain(model) || !Array.isArray(services) || !services.every(isText)) return undefined
  if (!isText(owner) || !isText(controller)) return undefined
  return { model, services, owner, controller, inventory: isText(inventory) ? inventory : null }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** Absolute and without `..`. */
function isPlain(path: string): boolean {
  return /^\/[^\n]*[^/\n]$/.test(path) && path.split('/').every((part, index) => index === 0 || !['', '.', '..'].includes(part))
}

/** A line that a full disk truncated names no file. */
function madeOf(line: string): FetchedFile | 'nothing' | undefined {
  const made = valueOf(line, 'made')
  if (made === undefined) return undefined
  const [, bytes, inode, modified, path = made] = /^(\d{1,15}) (\d{1,20}) (\d{1,15}) \d{1,15} (\/.+)$/.exec(made) ?? []
  if (!isPlain(path)) return 'nothing'
  if (bytes === undefined || inode === undefined) return { path, stamp: null }
  return { path, stamp: { bytes: Number(bytes), inode, modified: Number(modified) } }
}

const entryLine = /^entry ([0-9a-f]{1,8}) (\d{1,15}) (\d{1,20}) (\d{1,15}) (\d{1,15}) (\d{1,20}) (\/.+)$/
const treeLine = /^tree (\d{1,15}) ([0-9a-f:]{3,64}) (\/.+)$/

type Tree = NonNullable<Entry['tree']> & { readonly path: string }

function entryOf(line: string): Entry | Tree | undefined {
  const [, size, sum, folder] = treeLine.exec(line) ?? []
  if (size !== undefined && sum !== undefined && folder !== undefined) return { bytes: Number(size), sum, path: folder }
  const [, mode = '', bytes, inode, modified, changed, device, path] = entryLine.exec(line) ?? []
  if (inode === undefined || device === undefined || path === undefined || !isPlain(path)) return undefined
  const stamp = { bytes: Number(bytes), inode, modified: Number(modified), changed: Number(changed) }
  return { path, type: typeOf(mode), device, ...stamp }
}

/** From the hexadecimal mode of Linux or the octal one of macOS: the digits before the permission bits. */
function typeOf(mode: string): Entry['type'] {
  if (/^8[0-9a-f]{3}$/.test(mode) || /^10\d{4}$/.test(mode)) return 'file'
  return /^4[0-9a-f]{3}$/.test(mode) || /^4\d{4}$/.test(mode) ? 'folder' : 'other'
}

function withTrees(listed: readonly (Entry | Tree)[]): readonly Entry[] {
  const trees = new Map(listed.flatMap((one) => ('sum' in one ? [[one.path, one] as const] : [])))
  return listed.flatMap((one) => {
    if ('sum' in one) return []
    const tree = trees.get(one.path)
    return [tree === undefined ? one : { ...one, tree: { bytes: tree.bytes, sum: tree.sum } }]
  })
}
