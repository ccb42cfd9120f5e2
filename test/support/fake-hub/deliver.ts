import type { ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { FileAnswer } from './file-answer.ts'
import type { FileMood } from './mood.ts'

const largest = 256 * 1024

/**
 * Sends an answer as fast as its reader takes it, or as the mood has it.
 * @param note is given how many bytes of the body go to the socket, each time some do
 */
export async function deliver(
  response: ServerResponse,
  answer: FileAnswer,
  { slow, cut = Number.POSITIVE_INFINITY, hang = Number.POSITIVE_INFINITY }: FileMood,
  note: (bytes: number) => void,
): Promise<void> {
  const length = Number.isFinite(answer.bytes) ? { 'content-length': String(answer.bytes) } : {}
  response.writeHead(answer.status, { ...answer.headers, ...length })
  if (response.req.method === 'HEAD') return void response.end()
  response.flushHeaders()
  const limit = Math.min(answer.bytes, cut, hang)
  const most = slow === undefined ? largest : Math.max(1, Math.min(largest, Math.floor(slow / 20)))
  const began = performance.now()
  for (let sent = 0; sent < limit; ) {
    const part = answer.at(sent, Math.min(most, limit - sent))
    sent += part.length
    // Before the write ends: of one that fails, the reader may have had some.
    note(part.length)
    // oxlint-disable-next-line no-await-in-loop -- a body is sent in its order
    if (!(await written(response, part))) return
    // oxlint-disable-next-line no-await-in-loop -- it is slow on purpose
    if (slow !== undefined)
      await setTimeout(Math.max(0, began + (sent / slow) * 1000 - performance.now()), undefined, { ref: false })
  }
  if (limit === answer.bytes) response.end()
  else if (cut <= hang) response.destroy()
}

/** @returns false if the reader has closed the connection */
function written(response: ServerResponse, part: Buffer): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const gone = (): void => resolve(false)
  response.once('close', gone)
  response.write(part, (error) => {
    response.off('close', gone)
    resolve(error === null || error === undefined)
  })
  return response.destroyed ? Promise.resolve(false) : promise
}
