import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listening } from './listening.ts'

/** How it behaves for the next requests, one after another; the last one stays. */
export type HubMood =
  | 'well'
  /** 429, and when it is to be asked again. */
  | { readonly busy: 'retry-after' | 'ratelimit'; readonly seconds: number }
  | { readonly status: number }
  /** A page of a proxy, with status 200. */
  | 'html'
  /** An answer that never ends, after its head. */
  | 'hang'
  | 'endless'
  | { readonly location: string }

export interface AskedOfHub {
  readonly path: string
  readonly authorization: string | undefined
}

/** A repository: where its branches and tags are, and what is in it, at any commit. */
export interface FakeRepo {
  readonly at: Readonly<Record<string, string>>
  /** Sizes by path, or an entry as the hub would print it. Large files have SHA-256s, small ones git's. */
  readonly files?: Readonly<Record<string, number | object>>
}

/** A model hub on this machine that answers as the real one was seen to: `GET /api/models/R/revision/REV` and `…/tree/REV`. */
export interface FakeHub extends AsyncDisposable {
  readonly url: string
  readonly asked: readonly AskedOfHub[]
  behave(...moods: readonly HubMood[]): void
}

/** @param page so many files at a time */
export async function startFakeHub(
  repos: Readonly<Record<string, FakeRepo>>,
  { token, page = 1000 }: { readonly token?: string; readonly page?: number } = {},
): Promise<FakeHub> {
  const asked: AskedOfHub[] = []
  let moods: readonly HubMood[] = ['well']
  const server = createServer((request, response) => {
    asked.push({ path: request.url ?? '', authorization: request.headers.authorization })
    const [mood = 'well', ...rest] = moods
    if (rest.length > 0) moods = rest
    if (mood !== 'well') misbehave(mood, response)
    else if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
      response.writeHead(401, { 'x-error-code': 'GatedRepo', 'x-error-message': 'Access is restricted' }).end('{}')
    else answer(request, response, { repos, page })
  })
  const at = await listening(server)
  return {
    url: at.url,
    asked,
    behave: (...next) => {
      moods = next
    },
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  }
}

function answer(
  { url = '', headers }: IncomingMessage,
  response: ServerResponse,
  { repos, page }: { readonly repos: Readonly<Record<string, FakeRepo>>; readonly page: number },
): void {
  const { pathname, searchParams } = new URL(url, 'http://hub')
  const [, repo = '', what, revision = ''] = /^\/api\/models\/([^/]+\/[^/]+)\/(revision|tree)\/([^/]+)$/.exec(pathname) ?? []
  const { at = {}, files = {} } = repos[repo] ?? {}
  const name = decodeURIComponent(revision)
  const sha = at[name] ?? Object.values(at).find((one) => one === name)
  if (sha === undefined) {
    const code = repos[repo] === undefined ? 'RepoNotFound' : 'RevisionNotFound'
    response.writeHead(404, { 'x-error-code': code }).end('{"error":"not found"}')
  } else if (what === 'revision') json(response, { id: repo, sha, siblings: [] })
  else {
    const from = Number(searchParams.get('cursor') ?? 0)
    const entries = [{ type: 'directory', path: 'a-folder', size: 0, oid: '0'.repeat(40) }, ...Object.entries(files).map(entryOf)]
    const next = `<http://${headers.host}${pathname}?recursive=true&cursor=${from + page}>; rel="next"`
    json(response, entries.slice(from, from + page), entries.length > from + page ? { link: next } : {})
  }
}

function json(response: ServerResponse, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** Files of a megabyte and more are in large file storage. */
function entryOf([path, file]: readonly [string, number | object]): object {
  if (typeof file === 'object') return { type: 'file', path, ...file }
  const oid = createHash('sha1').update(path).digest('hex')
  if (file < 1_000_000) return { type: 'file', path, size: file, oid }
  const sha256 = createHash('sha256').update(path).digest('hex')
  return { type: 'file', path, size: file, oid, lfs: { oid: sha256, size: file, pointerSize: 135 }, xetHash: sha256 }
}

function misbehave(mood: Exclude<HubMood, 'well'>, response: ServerResponse): void {
  if (mood === 'html') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Please log in</html>')
  else if (mood === 'hang') response.writeHead(200).flushHeaders()
  else if (mood === 'endless') {
    response.writeHead(200)
    const more = (): void => {
      while (!response.destroyed && response.write(' '.repeat(65_536)));
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  } else if ('location' in mood) response.writeHead(307, { location: mood.location }).end()
  else if ('status' in mood) response.writeHead(mood.status).end('secret words of the hub')
  else if (mood.busy === 'retry-after') response.writeHead(429, { 'retry-after': String(mood.seconds) }).end()
  else response.writeHead(429, { ratelimit: `"api";r=0;t=${mood.seconds}` }).end()
}
