import { bytesAt } from './content.ts'
import { changed, type FakeFile } from './file.ts'
import type { FileMood } from './mood.ts'

/** An answer before it is sent. */
export interface FileAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The file that the body is of. */
  readonly file?: string
  /** Where in the file the body starts. */
  readonly from: number
  /** Of the body; may be infinite. */
  readonly bytes: number
  /** A part of the body. */
  at(offset: number, length: number): Buffer
}

export function textAnswer(status: number, headers: Readonly<Record<string, string>> = {}, text = ''): FileAnswer {
  const body = Buffer.from(text)
  return { status, headers, from: 0, bytes: body.length, at: (offset, length) => body.subarray(offset, offset + length) }
}

/** What goes wrong wherever a file is asked for: no answer of a file at all. */
export function refusal({ busy, status, gated, html }: FileMood): FileAnswer | undefined {
  if (busy?.by === 'retry-after') return textAnswer(429, { 'retry-after': String(busy.seconds) })
  if (busy?.by === 'ratelimit') return textAnswer(429, { ratelimit: `"resolvers";r=0;t=${busy.seconds}` })
  if (gated !== undefined) {
    const message = gated === 'terms' ? 'Access to this model is restricted' : 'Invalid credentials in Authorization header'
    return textAnswer(
      gated === 'terms' ? 403 : 401,
      { 'x-error-code': 'GatedRepo', 'x-error-message': message },
      'secret words of the server',
    )
  }
  if (status !== undefined) return textAnswer(status, {}, 'secret words of the server')
  if (html !== undefined) return textAnswer(html, { 'content-type': 'text/html' }, '<html>Please log in</html>')
  return undefined
}

/**
 * The content of a file, or the range of it that was asked for.
 * @param wholeBelow bytes; a request for a larger file without a range gets 400
 */
export function contentAnswer(original: FakeFile, asked: string | undefined, mood: FileMood, wholeBelow: number): FileAnswer {
  const file = mood.changed === undefined ? original : changed(original, mood.changed)
  const headers = { etag: `"${file.digest}"`, 'accept-ranges': 'bytes', 'content-type': 'application/octet-stream' }
  const range = mood.whole ? undefined : rangeOf(asked, file.bytes)
  if (range === 'outside') return textAnswer(416, { ...headers, 'content-range': `bytes */${file.bytes}` }, 'InvalidRange')
  if (range === undefined && !mood.whole && (mood.rangeOnly || file.bytes >= wholeBelow))
    return textAnswer(400, {}, 'a range is required')
  const from = mood.start ?? range?.from ?? 0
  const to =
    mood.start === undefined ? (range?.to ?? file.bytes) : Math.min(file.bytes, from + (range?.to ?? 0) - (range?.from ?? 0))
  const part = range === undefined ? {} : { 'content-range': `bytes ${from}-${to - 1}/${file.bytes}` }
  const bytes = mood.endless ? Number.POSITIVE_INFINITY : Math.max(0, to - from) + (mood.longer ?? 0)
  const at = (offset: number, length: number): Buffer => bodyPart(file, from + offset, length, mood.flip)
  return { status: range === undefined ? 200 : 206, headers: { ...headers, ...part }, file: file.name, from, bytes, at }
}

/** @returns undefined where the header asks for no range that is understood; `to` is not part of it */
function rangeOf(
  header: string | undefined,
  bytes: number,
): { readonly from: number; readonly to: number } | 'outside' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') return Number(last) === 0 ? 'outside' : { from: Math.max(0, bytes - Number(last)), to: bytes }
  const from = Number(first)
  const to = last === '' ? bytes : Math.min(bytes, Number(last) + 1)
  if (last !== '' && Number(last) < from) return undefined
  return from >= bytes ? 'outside' : { from, to }
}

/** Beyond the end of the file the body goes on with zeros. */
function bodyPart(file: FakeFile, from: number, length: number, flip: number | undefined): Buffer {
  const inside = Math.max(0, Math.min(length, file.bytes - from))
  const part = bytesAt(file.content, from, inside)
  const flipped = flip !== undefined && flip >= from && flip < from + inside
  if (!flipped && inside === length) return part
  const own = Buffer.concat([part, Buffer.alloc(length - inside)])
  if (flipped) own[flip - from] = (own[flip - from] ?? 0) ^ 1
  return own
}
