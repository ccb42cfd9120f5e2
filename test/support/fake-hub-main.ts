import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Asked } from './fake-hub/asked.ts'
import type { FileMood } from './fake-hub/mood.ts'
import { type FakeHubOptions, type FakeRepo, startFakeHub } from './fake-hub.ts'
import { listening } from './listening.ts'

/**
 * The fake hub as a program of its own, for containers and whatever else outlives a test: `node fake-hub-main.ts CONFIG`, or the
 * configuration on stdin. It prints one line of JSON with its origins; at that of `control` it lists its requests (`GET`), and
 * takes orders how to behave (`POST`, the body as `moods` of the configuration). It runs until it is killed.
 */
export interface FakeHubConfig extends FakeHubOptions {
  readonly repos: Readonly<Record<string, FakeRepo>>
  readonly moods?: FileMoods
  /** The port of `control`. */
  readonly control?: number
}

export interface FileMoods {
  readonly resolve?: readonly FileMood[]
  readonly cdn?: readonly FileMood[]
}

/** What it prints. */
export interface FakeHubOrigins {
  readonly url: string
  readonly cdn: string
  readonly elsewhere: string
  readonly control: string
}

const { repos, moods = {}, control = 0, ...options }: FakeHubConfig = JSON.parse(process.argv[2] ?? (await text(process.stdin)))
const hub = await startFakeHub(repos, options)
behave(moods)
const server = createServer((request, response) => {
  const asked: readonly Asked[] = hub.askedAnywhere
  if (request.method === 'POST') obey(request, response).catch(() => response.writeHead(400).end())
  else response.end(JSON.stringify(asked))
})
const at = await listening(server, { host: options.host ?? '127.0.0.1', port: control })
const origins: FakeHubOrigins = { url: hub.url, cdn: hub.cdn, elsewhere: hub.elsewhere, control: at.url }
process.stdout.write(`${JSON.stringify(origins)}\n`)

function behave({ resolve, cdn }: FileMoods): void {
  if (resolve !== undefined) hub.behaveFor('resolve', ...resolve)
  if (cdn !== undefined) hub.behaveFor('cdn', ...cdn)
}

async function obey(request: IncomingMessage, response: ServerResponse): Promise<void> {
  behave(JSON.parse(await text(request)))
  response.end()
}
