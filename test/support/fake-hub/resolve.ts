import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { changed, type FakeFile } from './file.ts'
import { contentAnswer, type FileAnswer, textAnswer } from './file-answer.ts'
import { commitOf, type Shelf } from './listing.ts'
import type { FileMood } from './mood.ts'

/** The files that the CDN gives, by the signature of the address that the hub gave out. */
export type Issued = Map<string, FakeFile>

export interface Origins {
  readonly cdn: string
  readonly elsewhere: string
}

/** `HEAD|GET /R/resolve/REV/F`: small files themselves, of large ones what they are and where. */
export function resolveAnswer(
  request: IncomingMessage,
  mood: FileMood,
  { shelf, issued, origins, wholeBelow }: { shelf: Shelf; issued: Issued; origins: Origins; wholeBelow: number },
): FileAnswer {
  const { pathname } = new URL(request.url ?? '', 'http://hub')
  const [, repo = '', revision = '', path = ''] = /^\/([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(pathname) ?? []
  const commit = commitOf(shelf, repo, decodeURIComponent(revision))
  if ('code' in commit) return textAnswer(404, { 'x-error-code': commit.code }, 'not found')
  const headers = { 'x-repo-commit': commit.sha }
  const found = shelf.files.get(`${repo}/${decodeURIComponent(path)}`)
  if (found === undefined) return textAnswer(404, { ...headers, 'x-error-code': 'EntryNotFound' }, 'Entry not found')
  if (!found.large) {
    const answer = contentAnswer(found, request.headers.range, mood, wholeBelow)
    return { ...answer, headers: { ...answer.headers, ...headers } }
  }
  const file = mood.changed === undefined ? found : changed(found, mood.changed)
  const location = `${reachable(origins[mood.redirect === 'elsewhere' ? 'elsewhere' : 'cdn'], request)}${signed(file, issued)}`
  const linked = { 'x-linked-etag': `"${file.digest}"`, 'x-linked-size': String(file.bytes), 'accept-ranges': 'bytes' }
  return textAnswer(302, { ...headers, ...linked, location }, `Found. Redirecting to ${location}`)
}

/** A redirect that the mood wants, whatever was asked for. */
export function redirected(request: IncomingMessage, { redirect }: FileMood, origins: Origins): FileAnswer | undefined {
  if (redirect === 'loop') return textAnswer(302, { location: request.url ?? '' })
  if (redirect === 'elsewhere') return textAnswer(302, { location: `${reachable(origins.elsewhere, request)}${request.url}` })
  return redirect === undefined ? undefined : textAnswer(302, redirect)
}

/** One of our origins under the name by which the client reaches this machine. */
function reachable(origin: string, { headers }: IncomingMessage): string {
  const url = new URL(origin)
  url.hostname = new URL(`http://${headers.host}`).hostname
  return url.origin
}

function signed(file: FakeFile, issued: Issued): string {
  const signature = createHash('sha256').update(`${issued.size} ${file.name}`).digest('hex')
  issued.set(signature, file)
  const query = new URLSearchParams({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Expires': '3600',
    'X-Amz-Signature': signature,
    'response-content-disposition': `inline; filename*=UTF-8''${file.path}; filename="${file.path}";`,
  })
  return `/repos/${file.digest.slice(0, 2)}/${file.digest}?${query.toString()}`
}
