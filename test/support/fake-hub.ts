import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Asked } from './fake-hub/asked.ts'
import { deliver } from './fake-hub/deliver.ts'
import { type FakeEntry, type FakeFile, fileOf } from './fake-hub/file.ts'
import { contentAnswer, type FileAnswer, refusal, textAnswer } from './fake-hub/file-answer.ts'
import { answerListing, type Shelf } from './fake-hub/listing.ts'
import { type FileMood, Moods } from './fake-hub/mood.ts'
import { type Issued, redirected, resolveAnswer } from './fake-hub/resolve.ts'
import { listening } from './listening.ts'

/** How it behaves for the next requests that are about no file's content, one after another; the last one stays. */
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

/** A repository: where its branches and tags are, and what is in it, at any commit. */
export interface FakeRepo {
  readonly at: Readonly<Record<string, string>>
  readonly files?: Readonly<Record<string, FakeEntry>>
  /** Its commits, the newest first; absent: it shows none. */
  readonly history?: readonly string[]
}

export interface FakeHubOptions {
  readonly token?: string
  /** So many files are listed at a time. */
  readonly page?: number
  /** Bytes; a larger file is had in ranges only. */
  readonly wholeBelow?: number
  /** Where it listens, with all its servers; `0.0.0.0` for the containers of this machine. */
  readonly host?: string
  readonly ports?: { readonly hub: number; readonly cdn: number; readonly elsewhere: number }
}

/**
 * A model hub on this machine that answers as the real one was seen to: its list of files, where a large one is (at the CDN, which is
 * another origin and wants a signature instead of the token), and small ones. A third server must never get the token.
 */
export interface FakeHub extends AsyncDisposable {
  readonly url: string
  /** Origins. */
  readonly cdn: string
  readonly elsewhere: string
  /** Of the hub itself. */
  readonly asked: readonly Asked[]
  /** Of all three, in their order. */
  readonly askedAnywhere: readonly Asked[]
  behave(...moods: readonly HubMood[]): void
  /** For the next requests for files, at the hub (`/resolve/`) or the CDN, one after another; the last one stays. */
  behaveFor(part: 'resolve' | 'cdn', ...moods: readonly FileMood[]): void
}

export async function startFakeHub(
  repos: Readonly<Record<string, FakeRepo>>,
  { token, page = 1000, wholeBelow = 50_000_000_000, host = '127.0.0.1', ports }: FakeHubOptions = {},
): Promise<FakeHub> {
  const shelf: Shelf = { repos, files: await filesOf(repos) }
  const issued: Issued = new Map()
  const asked: Asked[] = []
  const moods = new Moods<HubMood>('well')
  const fileMoods = { resolve: new Moods<FileMood>({}), cdn: new Moods<FileMood>({}) }
  const denial = ({ headers }: IncomingMessage): FileAnswer | undefined =>
    token === undefined || headers.authorization === `Bearer ${token}`
      ? undefined
      : textAnswer(401, headers.authorization === undefined ? gated : invalidToken, '{}')

  const hub = createServer((request, response) => {
    const note = noted('hub', request, asked)
    if (/^\/[^/]+\/[^/]+\/resolve\//.test(request.url ?? '')) {
      const mood = fileMoods.resolve.take()
      const wrong =
        refusal(mood) ?? denial(request) ?? (mood.redirect === 'elsewhere' ? undefined : redirected(request, mood, origins))
      send(response, wrong ?? resolveAnswer(request, mood, { shelf, issued, origins, wholeBelow }), mood, note)
      return
    }
    const mood = moods.take()
    const denied = denial(request)
    if (mood !== 'well') misbehave(mood, response)
    else if (denied !== undefined) send(response, denied, {}, note)
    else answerListing(request, response, shelf, page)
  })
  const storage = (server: 'cdn' | 'elsewhere'): Server =>
    createServer((request, response) => {
      const note = noted(server, request, asked)
      const mood = server === 'cdn' ? fileMoods.cdn.take() : {}
      const file = issued.get(new URL(request.url ?? '', 'http://cdn').searchParams.get('X-Amz-Signature') ?? '')
      const wrong = refusal(mood) ?? redirected(request, mood, origins)
      const unsigned = textAnswer(403, {}, '<Error><Code>AccessDenied</Code></Error>')
      const answer = file === undefined ? unsigned : contentAnswer(file, request.headers.range, mood, wholeBelow)
      send(response, wrong ?? answer, mood, note)
    })
  const [main, cdn, elsewhere] = await Promise.all([
    listening(hub, { host, port: ports?.hub ?? 0 }),
    listening(storage('cdn'), { host, port: ports?.cdn ?? 0 }),
    listening(storage('elsewhere'), { host, port: ports?.elsewhere ?? 0 }),
  ])
  const origins = { cdn: cdn.url, elsewhere: elsewhere.url }
  return {
    url: main.url,
    ...origins,
    get asked() {
      return asked.filter(({ server }) => server === 'hub')
    },
    askedAnywhere: asked,
    behave: (...next) => moods.set(next),
    behaveFor: (part, ...next) => fileMoods[part].set(next),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([main, cdn, elsewhere].map((one) => one[Symbol.asyncDispose]()))
    },
  }
}

const gated = { 'x-error-code': 'GatedRepo', 'x-error-message': 'Access is restricted' }
const invalidToken = { 'x-error-message': 'Invalid credentials in Authorization header' }

async function filesOf(repos: Readonly<Record<string, FakeRepo>>): Promise<ReadonlyMap<string, FakeFile>> {
  const all = Object.entries(repos).flatMap(([repo, { files = {} }]) =>
    Object.entries(files).map(([path, entry]) => fileOf(repo, path, entry)),
  )
  return new Map((await Promise.all(all)).flatMap((file) => (file === undefined ? [] : [[file.name, file]])))
}

/** Notes a request, and gives what notes its answer: at its start, and each time that some of it was sent. */
function noted(server: Asked['server'], { method = '', url = '', headers }: IncomingMessage, asked: Asked[]): Note {
  const { range, authorization } = headers
  let entry: Asked = { server, method, path: url, range, authorization, file: undefined, status: undefined, from: 0, sent: 0 }
  const index = asked.push(entry) - 1
  return (more) => {
    entry = { ...entry, ...more, sent: entry.sent + (more.sent ?? 0) }
    asked[index] = entry
  }
}

type Note = (more: Partial<Asked>) => void

function send(response: ServerResponse, answer: FileAnswer, mood: FileMood, note: Note): void {
  if (mood.silent) return
  note({ file: answer.file, status: answer.status, from: answer.from })
  deliver(response, answer, mood, (sent) => note({ sent })).catch((error: unknown) => {
    response.destroy(error instanceof Error ? error : undefined)
  })
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
