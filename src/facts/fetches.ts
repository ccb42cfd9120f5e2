import { defined } from '../lib/defined.ts'
import { parseObject } from '../lib/json-object.ts'
import { folderOfPath, joinPaths } from '../lib/posix-path.ts'
import { isCommit } from '../model/commit.ts'
import {
  type FetchFact,
  type FetchJob,
  type FetchTool,
  type FoundFile,
  fetchFailures,
  fetchTools,
  type HashedFile,
  type ListedFile,
} from '../model/fetch.ts'
import { known, type Observed, type Unknown, unknown } from '../model/observed.ts'
import { byAsked, type Fact, firstWords } from './fact.ts'
import { fetchesScript } from './fetches-script.ts'

/** By the path of the model, what the host has of those that come from a hub. */
export const fetches: Fact<Readonly<Record<string, Observed<FetchFact>>>> = {
  section: { name: 'fetches', sh: { linux: fetchesScript, macos: fetchesScript }, limitS: 20 },
  parse: (section, { question }) =>
    byAsked(
      section,
      question.fetches.map(({ model }) => model),
      { strange: strangeFetch, read: readFetch },
    ),
}

/** What may not be read is no damage. */
function strangeFetch(lines: readonly string[]): Unknown | undefined {
  const fact = readFetch(lines)
  return fact.known || fact.because === 'not-permitted' ? undefined : fact
}

/** More below one folder are not looked through. */
const mostFiles = 5000

/** Reads what `tell_fetch` printed of one model. What did not arrive whole is unknown. */
export function readFetch(lines: readonly string[]): Observed<FetchFact> {
  const [path, state, ...rest] = lines
  const model = valueOf(path, 'path')
  if (model === undefined || !model.startsWith('/')) return cut
  if (state === 'state hidden') return unknown('not-permitted', `the folder of ${model} may not be read`)
  if (state === 'state unreadable') return unknown('unreadable', `the place of ${model} is not a folder`)
  if (state !== 'state there' && state !== 'state absent') return cut
  const files = counted(rest, 'files', (line) => fileOf(line, model))
  if ('known' in files) return files
  const found = files.values.filter((one) => typeof one !== 'string')
  if (files.values.length > mostFiles) return unknown('unreadable', `there are more than ${mostFiles} files below ${model}`)
  if (files.values.includes('hidden')) return unknown('not-permitted', `a folder below ${model} may not be read`)
  if (files.values.includes('odd')) return unknown('unreadable', `a name below ${folderOfPath(model)} has a line break`)
  if (isTwice(found) || (state === 'state absent' && found.length > 0)) return cut
  const listed =
    files.rest[0]?.startsWith('listed ') === true ? counted(files.rest, 'listed', listedOf) : { values: [], rest: files.rest }
  if ('known' in listed) return listed
  const tools = toolsIn(listed.rest[0])
  const [job, ...more] = tools === undefined ? listed.rest : listed.rest.slice(1)
  if (job === 'job hidden') return unknown('not-permitted', 'the folder of the download may not be read')
  const there = { files: found, ...listedWords(listed.values), ...defined({ tools }) }
  if (job === 'job absent') return isEnd(more) ? known({ ...there, digests: [], job: null }) : cut
  if (job !== 'job there') return cut
  const digests = counted(more, 'digests', hashedOf)
  if ('known' in digests) return digests
  const read = readJob(digests.rest)
  const seen = { ...there, digests: newest(digests.values) }
  if (read === 'damaged') return known({ ...seen, job: null, damaged: true })
  return read.known ? known({ ...seen, job: read.value }) : read
}

const cut = unknown('unreadable', 'what the host has of the model did not arrive whole')

function isEnd(lines: readonly string[]): boolean {
  return lines[0] === 'end' && lines.slice(1).every((line) => line === '')
}

export function valueOf(line: string | undefined, tag: string): string | undefined {
  return line?.startsWith(`${tag} `) === true ? line.slice(tag.length + 1) : undefined
}

type Counted<T> = { readonly values: readonly T[]; readonly rest: readonly string[] }

/** `TAG COUNT`, and as many lines. */
export function counted<T>(lines: readonly string[], tag: string, read: (line: string) => T | undefined): Counted<T> | Unknown {
  const count = Number(/^\d{1,5}$/.exec(valueOf(lines[0], tag) ?? '')?.[0] ?? Number.NaN)
  if (Number.isNaN(count) || lines.length <= count) return cut
  const values: T[] = []
  for (const line of lines.slice(1, count + 1)) {
    const value = read(line)
    if (value === undefined) return unknown('unreadable', `there is a line in it that cannot be read: ${firstWords(line) ?? ''}`)
    values.push(value)
  }
  return { values, rest: lines.slice(count + 1) }
}

/** Small files, whose ETag is no SHA-256, and damaged records are skipped. */
function listedOf(line: string): ListedFile | 'nothing' | undefined {
  const [, words = '', path] = /^hub (.*?) ?(\/.+)$/.exec(line) ?? []
  if (path === undefined) return undefined
  const [commit = '', etag = ''] = words.trim().split(' ')
  return isCommit(commit) && /^[0-9a-f]{64}$/.test(etag) ? { path, commit, sha256: etag } : 'nothing'
}

function toolsIn(line: string | undefined): readonly FetchTool[] | undefined {
  const words = /^tools((?: [a-z0-9-]+)*) *$/.exec(line ?? '')?.[1]
  return words === undefined ? undefined : fetchTools.filter((tool) => words.split(' ').includes(tool))
}

function listedWords(all: readonly (ListedFile | 'nothing')[]): Pick<FetchFact, 'listed'> {
  const listed = all.filter((one) => one !== 'nothing')
  return listed.length === 0 ? {} : { listed }
}

/** A line that arrived twice may be in place of one that did not. */
function isTwice(files: readonly { readonly path: string }[]): boolean {
  return new Set(files.map(({ path }) => path)).size < files.length
}

/** Of a folder the names are relative to it. */
function fileOf(line: string, model: string): FoundFile | 'odd' | 'hidden' | undefined {
  if (line === 'odd' || line === 'hidden') return line
  const [, bytes, inode, modified, changed, name] = /^file (\d{1,15}) (\d{1,20}) (\d{1,15}) (\d{1,15}) (.+)$/.exec(line) ?? []
  if (bytes === undefined || inode === undefined || name === undefined || !/^(?:\/|\.\/)/.test(name)) return undefined
  const path = name.startsWith('/') ? name : joinPaths(model, name.slice(2))
  if (!isOf(path, model)) return undefined
  return { path, bytes: Number(bytes), inode, modified: Number(modified), changed: Number(changed) }
}

/** Beside a file, or below a folder. */
function isOf(path: string, model: string): boolean {
  const isPlain = path.split('/').every((part, index) => index === 0 || !['', '.', '..'].includes(part))
  return isPlain && (path.startsWith(`${model}/`) || folderOfPath(path) === folderOfPath(model))
}

const digestLine = /^digest (?:(sha256) ([0-9a-f]{64})|(git) ([0-9a-f]{40})) (\d{1,15}) (\d{1,20}) (\d{1,15}) (\d{1,15}) (\/.+)$/

/** A line that was cut off, by a disk that was full, proves nothing: it is passed over. */
export function hashedOf(line: string): HashedFile | 'nothing' | undefined {
  const [, sha256, sha, , blob, bytes, inode, modified, changed, path] = digestLine.exec(line) ?? []
  if (!line.startsWith('digest ')) return undefined
  if (bytes === undefined || inode === undefined || path === undefined) return 'nothing'
  const digest =
    sha256 === undefined ? ({ kind: 'git', hex: blob ?? '' } as const) : ({ kind: 'sha256', hex: sha ?? '' } as const)
  return { path, bytes: Number(bytes), inode, modified: Number(modified), changed: Number(changed), digest }
}

/** The last of each path. */
export function newest(all: readonly (HashedFile | 'nothing')[]): readonly HashedFile[] {
  const hashed = all.filter((one) => one !== 'nothing')
  return [...new Map(hashed.map((one) => [one.path, one])).values()]
}

/**
 * `damaged`: all of it arrived, it is not valid, and no process works on it; a full disk or a power cut leaves such a record. The next job
 * rewrites it.
 */
function readJob(lines: readonly string[]): Observed<FetchJob> | 'damaged' {
  const [said, alive, ...rest] = lines
  const hashed = /^hashed (\d{1,15})$/.exec(rest[0] ?? '')?.[1]
  const [about, ...wants] = hashed === undefined ? rest : rest.slice(1)
  const files = counted(wants, 'wants', wantOf)
  const isWhole = valueOf(said, 'said') !== undefined && valueOf(about, 'about') !== undefined
  if (!isWhole || (alive !== 'alive yes' && alive !== 'alive no')) return cut
  if ('known' in files) return alive === 'alive no' ? 'damaged' : files
  if (!isEnd(files.rest) || isTwice(files.values)) return cut
  const read = jobOf({ said, about, isAlive: alive === 'alive yes', hashed }, files.values)
  return !read.known && alive === 'alive no' ? 'damaged' : read
}

interface JobLines {
  readonly said: string | undefined
  readonly about: string | undefined
  readonly isAlive: boolean
  readonly hashed: string | undefined
}

function jobOf({ said = '', about, isAlive, hashed }: JobLines, files: FetchJob['files']): Observed<FetchJob> {
  const words = /^said (?:(working)(?: (\/.+))?|(done|stopped)|failed (\S+)(?: (\/.*))?)\s*$/.exec(said)
  const { repo, commit, run_id: runId, selection } = parseObject(valueOf(about, 'about') ?? '') ?? {}
  if (words === null) return cut
  if (files.length === 0) return unknown('unreadable', 'the host does not say which files were fetched')
  if (typeof repo !== 'string' || typeof commit !== 'string' || !isCommit(commit))
    return unknown('unreadable', 'the host does not say what was fetched')
  const [, , working, ended, reason, failedAt] = words
  const failure = fetchFailures.find((one) => one === reason)
  if (reason !== undefined && failure === undefined) return unknown('unreadable', `it failed for an unknown reason: ${reason}`)
  const path = working ?? failedAt
  return known({
    state: ended === 'done' || ended === 'stopped' ? ended : failure === undefined ? 'working' : 'failed',
    alive: isAlive,
    ...defined({ reason: failure }),
    ...(path === undefined || path === '' ? {} : { path }),
    ...(hashed === undefined ? {} : { hashed: Number(hashed) }),
    ...(typeof runId === 'string' && runIdShape.test(runId) ? { runId } : {}),
    repo,
    commit,
    ...(isTexts(selection) ? { selection } : {}),
    files,
  })
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

/** Whatever else stands there may be a stranger's. */
const runIdShape = /^[\w-]{1,60}$/

const wantLine = /^want (\d{1,15}) (?:(sha256) ([0-9a-f]{64})|git ([0-9a-f]{40})) (\/[^\t]+)(?:\t(.*))?$/

export function wantOf(line: string): FetchJob['files'][number] | undefined {
  const [, bytes, sha256, sha, blob, path, name = ''] = wantLine.exec(line) ?? []
  if (bytes === undefined || path === undefined) return undefined
  const digest =
    sha256 === undefined ? ({ kind: 'git', hex: blob ?? '' } as const) : ({ kind: 'sha256', hex: sha ?? '' } as const)
  return { path, bytes: Number(bytes), digest, ...(name === '' ? {} : { name }) }
}
