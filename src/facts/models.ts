import { defined } from '../lib/defined.ts'
import type { GgufHeader, ModelFiles } from '../model/facts.ts'
import type { FileStamp } from '../model/file-identity.ts'
import { known, type Observed, type Unknown, unknown } from '../model/observed.ts'
import { byAsked, type Fact, firstWords, strangeLine, strangeOrder } from './fact.ts'
import { absence, fileRecord, strangeState } from './file-record.ts'
import { stampsIn } from './file-stamp.ts'
import { readGgufHeader } from './gguf-header.ts'
import { modelsScript } from './models-script.ts'

/** Model files: sizes, shards, unfinished downloads, the GGUF header, and how much of them is in the page cache. */
export const models: Fact<Readonly<Record<string, Observed<ModelFiles | null>>>> = {
  section: { name: 'models', sh: { linux: modelsScript, macos: modelsScript }, limitS: 30, about: ['model='] },
  parse: (section, { question }) => byAsked(section, question.models, { strange: strangeModel, read: readModel }),
}

const shape =
  /^(path |state |type (directory|file)$|(sum|cached) \d+$|(part|time) \d+ .+$|(folder|link) \d+ \/.*$|file (\d+ ){4}\S+ \/.*$|unfinished |perhaps |uncounted |header( end)?$|end$|[A-Za-z0-9+/]+=*$|[0-9a-f ]+$)|^$/

const order =
  /^path state (type (sum )?(unfinished )*(perhaps )*((part |time )*(file )*(folder )?(link ){0,100})((cached )*|(uncounted ))(header )?end )?$/

function strangeModel(lines: readonly string[]): Unknown | undefined {
  const path = fileRecord(lines).get('path') ?? ''
  const strange = strangeState(lines)
  // `readModel` reports a truncated answer.
  if (strange !== undefined || lines.indexOf('end') !== lines.length - 1) return strange
  const at = lines.indexOf('header')
  const withoutHeader = at < 0 ? lines : [...lines.slice(0, at + 1), 'end']
  return strangeLine(lines, shape) ?? strangePath(lines, path) ?? strangeHeader(lines) ?? strangeOrder(withoutHeader, order)
}

/** A path of another model, or of none, means damage in transit: a file of this model is missing. */
function strangePath(lines: readonly string[], path: string): Unknown | undefined {
  const family = familyOf(path)
  const strange = lines.find((line) => {
    const listed = /^(?:(?:part|time) \d+|file (?:\d+ ){4}\S+) (.+)$/.exec(line)?.[1]
    return listed !== undefined && !listed.startsWith(`${path}/`) && familyOf(listed) !== family
  })
  return strange === undefined
    ? undefined
    : unknown('unreadable', `a line belongs to another path than ${path}: ${firstWords(strange) ?? ''}`)
}

/** Shards of one model have one family; any other path is its own. */
function familyOf(path: string): string {
  return path.replace(/-\d{5}(-of-\d{5}\.gguf)$/, '$1')
}

/** The encoded header stands between its markers and nowhere else; all its lines but the last have the same length. */
function strangeHeader(lines: readonly string[]): Unknown | undefined {
  const at = lines.indexOf('header')
  const tagged = /^(path|state|type|sum|cached|part|time|file|folder|link|unfinished|perhaps|uncounted|header|end)\b/
  const encoded = at < 0 ? [] : lines.slice(at + 1, -2)
  const others = at < 0 ? lines : lines.slice(0, at)
  const isWhole = at < 0 || lines.at(-2) === 'header end'
  const lengths = new Set(encoded.slice(0, -1).map((line) => line.length))
  return isWhole && others.every((line) => line === '' || tagged.test(line)) && lengths.size <= 1 && isBase64OrHex(encoded)
    ? undefined
    : unknown('unreadable', 'the header of the file is incomplete')
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
  if (lines.indexOf('end') !== lines.length - 1) return unknown('timed-out', `reading ${path} did not finish`)
  if (record.get('type') === 'directory') return readDirectory(path, lines, record.get('sum'))
  // Keeps the thousand lines of the header out of all other searches.
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
  // A download with an unclear target is of this model only if one of its files is missing.
  const unfinished = [...valuesOf(lines, 'unfinished'), ...(missing.length > 0 ? valuesOf(lines, 'perhaps') : [])]
  return {
    path,
    type: 'file',
    files,
    shards: wanted.length,
    missing,
    unfinished,
    header: encoded === undefined ? unknown('not-permitted', `${path} is not readable`) : decodeHeader(encoded),
    cachedBytes: cachedIn(lines, files.length),
  }
}

/** `part BYTES PATH` from stat: BusyBox's ls prints question marks for non-ASCII letters. */
function partOf(line: string, times: ReadonlyMap<string, number>): readonly Part[] {
  const [, bytes, path = ''] = /^part (\d+) (.+)$/.exec(line) ?? []
  if (bytes === undefined) return []
  const modified = times.get(path)
  return [{ path, bytes: Number(bytes), ...defined({ modified }) }]
}

function withStamp(part: Part, file: FileStamp | undefined): Part {
  return file === undefined ? part : { ...part, file }
}

/** Modification times by path. */
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

/** `NAME-00001-of-0000N.gguf` implies the names of all parts; the server derives them the same way. */
function shardsOf(path: string): readonly string[] {
  const match = /^(.*)-\d{5}-of-(\d{5})\.gguf$/.exec(path)
  const count = Number(match?.[2] ?? 0)
  if (match === null || count === 0) return [path]
  return Array.from({ length: count }, (_, index) => `${match[1]}-${String(index + 1).padStart(5, '0')}-of-${match[2]}.gguf`)
}

/** base64, or the hexadecimal rows of `od`. */
function decodeHeader(encoded: readonly string[]): Observed<GgufHeader> {
  const text = encoded.join('')
  if (text === '') return unknown('no-such-tool', 'base64, openssl and od are missing, or the file is empty')
  const hex = /^ [0-9a-f]{2}( |$)/.test(encoded[0] ?? '')
  return readGgufHeader(hex ? Buffer.from(text.replace(/\s+/g, ''), 'hex') : Buffer.from(text, 'base64'))
}

/** Bytes in the page cache, one figure per file; `count`: the expected number of figures. */
function cachedIn(lines: readonly string[], count: number | undefined): Observed<number> {
  const figures = valuesOf(lines, 'cached').map(Number)
  const reason = valuesOf(lines, 'uncounted')[0]
  if (reason === 'no-tool') return unknown('no-such-tool', 'fincore is not installed')
  if (reason === 'not-ours') return unknown('not-permitted', 'the kernel reports it only to users who can write the files')
  if (figures.length === 0 || (count !== undefined && figures.length !== count))
    return unknown('unreadable', 'fincore did not answer for all files')
  return known(figures.reduce((sum, bytes) => sum + bytes, 0))
}

function valuesOf(lines: readonly string[], tag: string): readonly string[] {
  return lines.filter((line) => line.startsWith(`${tag} `)).map((line) => line.slice(tag.length + 1))
}
