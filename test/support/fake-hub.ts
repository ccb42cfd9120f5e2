import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

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

/** A model hub on this machine that answers as the real one was seen to: `GET /api/models/R/revision/REV`. */
export interface FakeHub extends AsyncDisposable {
  readonly url: string
  readonly asked: readonly AskedOfHub[]
  behave(...moods: readonly HubMood[]): void
}

/** @param repos commits by revision, by repository; a commit that is one's value is a revision as well */
export async function startFakeHub(
  repos: Readonly<Record<string, Readonly<Record<string, string>>>>,
  { token }: { readonly token?: string } = {},
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
    else answer(request, response, repos)
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    behave: (...next) => {
      moods = next
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      await closed.promise
    },
  }
}

function answer(
  { url = '' }: IncomingMessage,
  response: ServerResponse,
  repos: Readonly<Record<string, Readonly<Record<string, string>>>>,
): void {
  const [, repo = '', revision = ''] = /^\/api\/models\/([^/]+\/[^/]+)\/revision\/([^/]+)$/.exec(url) ?? []
  const commits = repos[repo] ?? {}
  const name = decodeURIComponent(revision)
  const sha = commits[name] ?? Object.values(commits).find((one) => one === name)
  if (sha === undefined) {
    const code = repos[repo] === undefined ? 'RepoNotFound' : 'RevisionNotFound'
    response.writeHead(404, { 'x-error-code': code }).end('{"error":"not found"}')
  } else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: repo, sha, siblings: [] }))
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
