import { defined } from '../lib/defined.ts'
import type { GgufHeader, ModelFiles } from '../model/facts.ts'
import type { FileStamp } from '../model/file-identity.ts'
import { known, type Observed, type Unknown, unknown } from '../model/observed.ts'
import { byAsked, type Fact, firstWords, strangeLine, strangeOrder } from './fact.ts'
import { absence, fileRecord, strangeState } from './file-record.ts'
import { stampsIn } from './file-stamp.ts'
import { readGgufHeader } from './gguf-header.ts'
import { modelsScript } from './models-script.ts'

/** Model files: sizes, shards, unfinished downloads, the head of the GGUF, and how much of it is in the page cache. */
export const models: Fact<Readonly<Record<string, Observed<ModelFiles | null>>>> = {
  section: { name: 'models', sh: { linux: modelsScript, macos: modelsScript }, limitS: 30 },
  parse: (section, { question }) => byAsked(section, question.models, { strange: strangeModel, read: readModel }),
}

const shape =
  /^(path |state |type (directory|file)$|(sum|cached) \d+$|(part|time) \d+ .+$|(folder|link) \d+ \/.*$|file (\d+ ){4}\S+ \/.*$|unfinished |perhaps |uncounted |header( end)?$|end$|[A-Za-z0-9+/]+=*$|[0-9a-f ]+$)|^$/

const order =
  /^path state (type (sum )?(unfinished )*(perhaps )*((part |time )*(file )*(folder )?(link ){0,100})((cached )*|(uncounted ))(header )?end )?$/

function strangeModel(lines: readonly string[]): Unknown | undefined {
  const path = fileRecord(lines).get('path') ?? ''
  const strange = strangeState(lines)
  // It may have been cut, which `readModel` tells.
  if (strange !== undefined || lines.indexOf('end') !== lines.length - 1) return strange
  const at = lines.indexOf('header')
  const told = at < 0 ? lines : [...lines.slice(0, at + 1), 'end']
  return strangeLine(lines, shape) ?? strangePath(lines, path) ?? strangeHeader(lines) ?? strangeOrder(told, order)
}

/** What is told of a path that belongs to another model, or to none, was damaged on its way: a file of this one would be missing. */
function strangePath(lines: readonly string[], path: string): Unknown | undefined {
  const family = familyOf(path)
  const strange = lines.find((line) => {
    const told = /^(?:(?:part|time) \d+|file (?:\d+ ){4}\S+) (.+)$/.exec(line)?.[1]
    return told !== undefined && !told.startsWith(`${path}/`) && familyOf(told) !== family
  })
  return strange === undefined ? undefined : unknown('unreadable', `it is not of ${path}: ${firstWords(strange) ?? ''}`)
}

/** Shards of one model have one family; any other path is its own. */
function familyOf(path: string): string {
  return path.replace(/-\d{5}(-of-\d{5}\.gguf)$/, '$1')
}

/** The digits of a header stand between its marks, and nowhere else; each line of them is as long as the one before, the last one excepted. */
function strangeHeader(lines: readonly string[]): Unknown | undefined {
  const at = lines.indexOf('header')
  const tagged = /^(path|state|type|sum|cached|part|time|file|folder|link|unfinished|perhaps|uncounted|header|end)\b/
  const encoded = at < 0 ? [] : lines.slice(at + 1, -2)
  const others = at < 0 ? lines : lines.slice(0, at)
  const isWhole = at < 0 || lines.at(-2) === 'header end'
  const lengths = new Set(encoded.slice(0, -1).map((line) => line.length))
  return isWhole && others.every((line) => line === '' || tagged.test(line)) && lengths.size <= 1 && isBase64OrHex(encoded)
    ? undefined
    : unknown('unreadable', 'the beginning of the file did not arrive whole')
}

function isBase64OrHex(encoded: readonly string[]): boolean {
  const text = encoded.join('')
  return /^( [0-9a-f]{2})*$/.test(text) || (/^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0)
}

type Part = ModelFiles['files'][number]

function readModel(lines: readonly string[]): Observed<ModelFiles | null> {
  const record = fileRecord(lines)
  const missing = absence(record)
  if (missing !== undefined) return missing
  const path = record.get('path') ?? ''
  if (lines.indexOf('end') !== lines.length - 1) return unknown('timed-out', `looking at ${path} did not end`)
  if (record.get('type') === 'directory') return readDirectory(path, lines, record.get('sum'))
  // A thousand lines of header need not be looked through for anything else.
  const at = lines.indexOf('header')
  return known(at < 0 ? readFile(path, lines, undefined) : readFile(path, lines.slice(0, at), lines.slice(at + 1, -2)))
}

function readDirectory(path: string, lines: readonly string[], sum: string | undefined): Observed<ModelFiles> {
  if (sum === undefined) return unknown('unreadable', `the files of ${path} could not be summed up`)
  return known({
    path,
    type: 'directory',
    files: [{ path, bytes: Number(sum), ...newest(lines) }],
    shards: 1,
    missing: [],
    unfinished: [...valuesOf(lines, 'unfinished'), ...valuesOf(lines, 'perhaps')],
    header: unknown('not-gathered', 'a directory has no GGUF header'),
    cachedBytes: cachedIn(lines, undefined),
  })
}

function readFile(path: string, lines: readonly string[], encoded: readonly string[] | undefined): ModelFiles {
  const times = timesOf(lines)
  const stamps = stampsIn(lines)
  const files = lines.flatMap((line) => partOf(line, times)).map((part) => withStamp(part, stamps.get(part.path)))
  const wanted = shardsOf(path)
  const there = new Set(files.map((file) => file.path))
  const missing = wanted.filter((shard) => !there.has(shard))
  // A download whose name does not tell which file it becomes is ours only if one of ours is not there yet.
  const unfinished = [...valuesOf(lines, 'unfinished'), ...(missing.length > 0 ? valuesOf(lines, 'perhaps') : [])]
  return {
    path,
    type: 'file',
    files,
    shards: wanted.length,
    missing,
    unfinished,
    header: encoded === undefined ? unknown('not-permitted', `${path} may not be read`) : decodeHeader(encoded),
    cachedBytes: cachedIn(lines, files.length),
  }
}

/** `part BYTES PATH`, from stat: BusyBox's ls would show question marks for letters beyond ASCII. */
function partOf(line: string, times: ReadonlyMap<string, number>): readonly Part[] {
  const [, bytes, path = ''] = /^part (\d+) (.+)$/.exec(line) ?? []
  if (bytes === undefined) return []
  const modified = times.get(path)
  return [{ path, bytes: Number(bytes), ...defined({ modified }) }]
}

function withStamp(part: Part, file: FileStamp | undefined): Part {
  return file === undefined ? part : { ...part, file }
}

/** By path, when it was last written. */
function timesOf(lines: readonly string[]): ReadonlyMap<string, number> {
  return new Map(
    valuesOf(lines, 'time').flatMap((line) => {
      const [, seconds, path = ''] = /^(\d+) (.+)$/.exec(line) ?? []
      return seconds === undefined ? [] : [[path, Number(seconds)]]
    }),
  )
}

function newest(lines: readonly string[]): Pick<Part, 'modified'> {
  const times = [...timesOf(lines).values()]
  return times.length === 0 ? {} : { modified: Math.max(...times) }
}

/** `NAME-00001-of-0000N.gguf` names all its parts; the server derives them in the same way. */
function shardsOf(path: string): readonly string[] {
  const match = /^(.*)-\d{5}-of-(\d{5})\.gguf$/.exec(path)
  const count = Number(match?.[2] ?? 0)
  if (match === null || count === 0) return [path]
  return Array.from({ length: count }, (_, index) => `${match[1]}-${String(index + 1).padStart(5, '0')}-of-${match[2]}.gguf`)
}

/** base64, or the hexadecimal rows of `od`. */
function decodeHeader(encoded: readonly string[]): Observed<GgufHeader> {
  const text = encoded.join('')
  if (text === '') return unknown('no-such-tool', 'neither base64 nor openssl nor od, or the file is empty')
  const hex = /^ [0-9a-f]{2}( |$)/.test(encoded[0] ?? '')
  return readGgufHeader(hex ? Buffer.from(text.replace(/\s+/g, ''), 'hex') : Buffer.from(text, 'base64'))
}

/** Bytes in the page cache, one figure per file; `count`: how many there must be. */
function cachedIn(lines: readonly string[], count: number | undefined): Observed<number> {
  const figures = valuesOf(lines, 'cached').map(Number)
  const reason = valuesOf(lines, 'uncounted')[0]
  if (reason === 'no-tool') return unknown('no-such-tool', 'no fincore')
  if (reason === 'not-ours') return unknown('not-permitted', 'the kernel tells the truth to the owner of the files only')
  if (figures.length === 0 || (count !== undefined && figures.length !== count))
    return unknown('unreadable', 'fincore did not answer for all files')
  return known(figures.reduce((sum, bytes) => sum + bytes, 0))
}

function valuesOf(lines: readonly string[], tag: string): readonly string[] {
  return lines.filter((line) => line.startsWith(`${tag} `)).map((line) => line.slice(tag.length + 1))
}
