import { defined } from '../lib/defined.ts'
import { parseObject } from '../lib/json-object.ts'
import { folderOfPath, joinPaths } from '../lib/posix-path.ts'
import { isCommit } from '../model/commit.ts'
import {
  type FetchFact,
  type FetchFailure,
  type FetchJob,
  type FetchTool,
  type FoundFile,
  fetchFailures,
  fetchTools,
  type HashedFile,
  type ListedFile,
} from '../model/fetch.ts'
import type { HubDigest } from '../model/hub-file.ts'
import { known, mapObserved, type Observed, type Unknown, unknown } from '../model/observed.ts'
import { byAsked, type Fact, firstWords } from './fact.ts'
import { fetchesScript } from './fetches-script.ts'

/** What the host has of each model that comes from a hub, by the path of the model. */
export const fetches: Fact<Readonly<Record<string, Observed<FetchFact>>>> = {
  section: { name: 'fetches', sh: { linux: fetchesScript, macos: fetchesScript }, limitS: 20, about: ['fetch-'] },
  parse: (section, { question }) =>
    byAsked(
      section,
      question.fetches.map(({ model }) => model),
      { strange: strangeFetch, read: readFetch },
    ),
}

/** Missing permission is no damage. */
function strangeFetch(lines: readonly string[]): Unknown | undefined {
  const fact = readFetch(lines)
  return fact.known || fact.because === 'not-permitted' ? undefined : fact
}

/** The limit of files below one folder. */
const mostFiles = 5000

/** Reads what `print_fetch` printed about one model. Incomplete output is unknown. */
export function readFetch(lines: readonly string[]): Observed<FetchFact> {
  const [path, state, ...rest] = lines
  const model = valueOf(path, 'path')
  if (model === undefined || !model.startsWith('/')) return cut
  if (state === 'state hidden') return unknown('not-permitted', `the folder of ${model} is not readable`)
  if (state === 'state unreadable') return unknown('unreadable', `the parent of ${model} is not a folder`)
  if (state !== 'state there' && state !== 'state absent') return cut
  const files = filesIn(rest, model)
  if ('known' in files) return files
  if (state === 'state absent' && files.values.length > 0) return cut
  const listed = listedIn(files.rest)
  if ('known' in listed) return listed
  const tools = toolsIn(listed.rest[0])
  const there = { files: files.values, ...listedWords(listed.values), ...defined({ tools }) }
  return readDownload(tools === undefined ? listed.rest : listed.rest.slice(1), there)
}

function filesIn(lines: readonly string[], model: string): Counted<FoundFile> | Unknown {
  const files = counted(lines, 'files', (line) => fileOf(line, model))
  if ('known' in files) return files
  const { values, rest } = files
  if (values.length > mostFiles) return unknown('unreadable', `there are more than ${mostFiles} files below ${model}`)
  if (values.includes('hidden')) return unknown('not-permitted', `a folder below ${model} is not readable`)
  if (values.includes('odd')) return unknown('unreadable', `a file name below ${folderOfPath(model)} contains a line break`)
  const found = values.filter((one) => typeof one !== 'string')
  return isTwice(found) ? cut : { values: found, rest }
}

/** Absent on hosts where the hub's own tool fetched nothing. */
function listedIn(lines: readonly string[]): Counted<ListedFile | 'nothing'> | Unknown {
  return valueOf(lines[0], 'listed') === undefined ? { values: [], rest: lines } : counted(lines, 'listed', listedOf)
}

/** The rest of the output: digests taken by a job, and its record. */
function readDownload(
  [state, ...lines]: readonly string[],
  there: Pick<FetchFact, 'files' | 'listed' | 'tools'>,
): Observed<FetchFact> {
  if (state === 'job hidden') return unknown('not-permitted', 'the folder of the download is not readable')
  if (state === 'job absent') return isEnd(lines) ? known({ ...there, digests: [], job: null }) : cut
  if (state !== 'job there') return cut
  const digests = counted(lines, 'digests', hashedOf)
  if ('known' in digests) return digests
  const job = readJob(digests.rest)
  const observed = { ...there, digests: newest(digests.values) }
  if (job === 'damaged') return known({ ...observed, job: null, damaged: true })
  return mapObserved(job, (value) => ({ ...observed, job: value }))
}

const cut = unknown('unreadable', 'the list of model files is incomplete')

function isEnd(lines: readonly string[]): boolean {
  return lines[0] === 'end' && lines.slice(1).every((line) => line === '')
}

export function valueOf(line: string | undefined, tag: string): string | undefined {
  return line?.startsWith(`${tag} `) === true ? line.slice(tag.length + 1) : undefined
}

type Counted<T> = { readonly values: readonly T[]; readonly rest: readonly string[] }

/** `TAG COUNT`, followed by that many lines. */
export function counted<T>(lines: readonly string[], tag: string, read: (line: string) => T | undefined): Counted<T> | Unknown {
  const count = Number(/^\d{1,5}$/.exec(valueOf(lines[0], tag) ?? '')?.[0] ?? Number.NaN)
  if (Number.isNaN(count) || lines.length <= count) return cut
  const values: T[] = []
  for (const line of lines.slice(1, count + 1)) {
    const value = read(line)
    if (value === undefined) return unknown('unreadable', `unexpected line: ${firstWords(line) ?? ''}`)
    values.push(value)
  }
  return { values, rest: lines.slice(count + 1) }
}

/** Skips damaged records and small files, whose ETag is no SHA-256. */
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

/** A duplicate line may have replaced another one. */
function isTwice(files: readonly { readonly path: string }[]): boolean {
  return new Set(files.map(({ path }) => path)).size < files.length
}

/** Names below a folder are relative to it. */
function fileOf(line: string, model: string): FoundFile | 'odd' | 'hidden' | undefined {
  if (line === 'odd' || line === 'hidden') return line
  const [, bytes, inode, modified, changed, name] = /^file (\d{1,15}) (\d{1,20}) (\d{1,15}) (\d{1,15}) (.+)$/.exec(line) ?? []
  if (bytes === undefined || inode === undefined || name === undefined || !/^(?:\/|\.\/)/.test(name)) return undefined
  const path = name.startsWith('/') ? name : joinPaths(model, name.slice(2))
  if (!isOf(path, model)) return undefined
  return { path, bytes: Number(bytes), inode, modified: Number(modified), changed: Number(changed) }
}

/** Beside the file, or below the folder. */
function isOf(path: string, model: string): boolean {
  const isPlain = path.split('/').every((part, index) => index === 0 || !['', '.', '..'].includes(part))
  return isPlain && (path.startsWith(`${model}/`) || folderOfPath(path) === folderOfPath(model))
}

const digestLine = /^digest (?:sha256 ([0-9a-f]{64})|git ([0-9a-f]{40})) (\d{1,15}) (\d{1,20}) (\d{1,15}) (\d{1,15}) (\/.+)$/

/** A line that a full disk truncated proves nothing and is skipped. */
export function hashedOf(line: string): HashedFile | 'nothing' | undefined {
  if (!line.startsWith('digest ')) return undefined
  const [, sha256, blob, bytes, inode, modified, changed, path] = digestLine.exec(line) ?? []
  if (bytes === undefined || inode === undefined || path === undefined) return 'nothing'
  const digest = digestOf(sha256, blob)
  return { path, bytes: Number(bytes), inode, modified: Number(modified), changed: Number(changed), digest }
}

function digestOf(sha256: string | undefined, blob: string | undefined): HubDigest {
  return sha256 === undefined ? { kind: 'git', hex: blob ?? '' } : { kind: 'sha256', hex: sha256 }
}

/** The last digest of each path. */
export function newest(all: readonly (HashedFile | 'nothing')[]): readonly HashedFile[] {
  const hashed = all.filter((one) => one !== 'nothing')
  return [...new Map(hashed.map((one) => [one.path, one])).values()]
}

/**
 * `damaged`: it arrived completely, is invalid, and no process works on it. A full disk or a power cut leaves such a record; the next job
 * rewrites it.
 */
function readJob(lines: readonly string[]): Observed<FetchJob> | 'damaged' {
  const record = recordIn(lines)
  if (record === undefined) return cut
  const files = counted(record.wants, 'wants', wantOf)
  if ('known' in files) return record.alive ? files : 'damaged'
  if (!isEnd(files.rest) || isTwice(files.values)) return cut
  const job = jobOf(record, files.values)
  return job.known || record.alive ? job : 'damaged'
}

interface JobRecord {
  readonly said: string
  readonly alive: boolean
  readonly hashed: number | undefined
  readonly about: string
  readonly wants: readonly string[]
}

/** Undefined: incomplete. */
function recordIn([saidLine, aliveLine, ...rest]: readonly string[]): JobRecord | undefined {
  const bytes = /^hashed (\d{1,15})$/.exec(rest[0] ?? '')?.[1]
  const [aboutLine, ...wants] = bytes === undefined ? rest : rest.slice(1)
  const [said, alive, about] = [valueOf(saidLine, 'said'), aliveOf(aliveLine), valueOf(aboutLine, 'about')]
  if (said === undefined || alive === undefined || about === undefined) return undefined
  return { said, alive, hashed: bytes === undefined ? undefined : Number(bytes), about, wants }
}

/** Whether a process works on it; undefined: the line does not say. */
export function aliveOf(line: string | undefined): boolean | undefined {
  return line === 'alive yes' || (line === 'alive no' ? false : undefined)
}

const saidWords = /^(?:working(?: (\/.+))?|(done|stopped)|failed (\S+)(?: (\/.*))?)\s*$/

function jobOf({ said, alive, hashed, about }: JobRecord, files: FetchJob['files']): Observed<FetchJob> {
  const words = saidWords.exec(said)
  if (words === null) return cut
  if (files.length === 0) return unknown('unreadable', 'the host does not say which files were fetched')
  const order = orderOf(about)
  if (order === undefined) return unknown('unreadable', 'the host does not say what was fetched')
  const [, worksAt, ended, failure, failedAt] = words
  const reason = fetchFailures.find((one) => one === failure)
  if (failure !== undefined && reason === undefined) return unknown('unreadable', `it failed for an unknown reason: ${failure}`)
  const { runId, repo, commit, selection } = order
  return known({
    state: stateOf(ended, reason),
    alive,
    ...defined({ reason, path: worksAt ?? failedAt, hashed, runId }),
    repo,
    commit,
    ...defined({ selection }),
    files,
  })
}

function stateOf(ended: string | undefined, failure: FetchFailure | undefined): FetchJob['state'] {
  if (ended === 'done' || ended === 'stopped') return ended
  return failure === undefined ? 'working' : 'failed'
}

/** Undefined: the record does not say what was fetched. */
function orderOf(about: string) {
  const { repo, commit, run_id: runId, selection } = parseObject(about) ?? {}
  if (typeof repo !== 'string' || typeof commit !== 'string' || !isCommit(commit)) return undefined
  return { repo, commit, runId: isRunId(runId) ? runId : undefined, selection: isTexts(selection) ? selection : undefined }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

/** Anything else was not written by converge. */
function isRunId(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,60}$/.test(value)
}

const wantLine = /^want (\d{1,15}) (?:sha256 ([0-9a-f]{64})|git ([0-9a-f]{40})) (\/[^\t]+)(?:\t(.*))?$/

export function wantOf(line: string): FetchJob['files'][number] | undefined {
  const [, bytes, sha256, blob, path, name = ''] = wantLine.exec(line) ?? []
  if (bytes === undefined || path === undefined) return undefined
  return { path, bytes: Number(bytes), digest: digestOf(sha256, blob), ...(name === '' ? {} : { name }) }
}
