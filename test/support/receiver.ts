import { createServer, type IncomingHttpHeaders } from 'node:http'
import { listening } from './listening.ts'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** How it answers; `hang`: not at all. */
export type Answer = 'hang' | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }

/** A real HTTP server on this machine that keeps all requests. */
export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly received: readonly Received[]
  /** One after another; the last one stays. */
  answer(...answers: readonly Answer[]): void
}

/** @param path a part of the URL that must stay secret */
export async function startReceiver(path = '/T0KEN-never-to-be-seen'): Promise<Receiver> {
  const received: Received[] = []
  let answers: readonly Answer[] = [{ status: 200 }]
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString('utf8') })
      const [answer = { status: 200 }, ...rest] = answers
      if (rest.length > 0) answers = rest
      if (answer !== 'hang') response.writeHead(answer.status, answer.headers).end('the body of an answer, which is ignored')
    })
  })
  const at = await listening(server)
  return {
    url: `${at.url}${path}`,
    received,
    answer: (...next) => {
      answers = next
    },
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  }
}
