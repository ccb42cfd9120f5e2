import type { Dispatcher } from 'undici'
import { defined } from '../lib/defined.ts'
import { isLoopback } from '../lib/loopback.ts'
import { askOnce, type Question } from './ask-once.ts'
import { type Asking, askPatiently, type Outcome } from './ask-patiently.ts'
import { type Failure, failed } from './failure.ts'
import { type HubAccess, type HubLimits, type HubRequest, hubLimits } from './hub-access.ts'
import type { HubAnswer } from './hub-answer.ts'
import type { HubRevision } from './resolve-revision.ts'

/** As many bytes as the probe reads of a file on a host. */
const startBytes = 65_536

const mostRedirects = 5

/**
 * The first 64 KiB of a file in a repository, or all of a shorter one. The hub may redirect to other servers, which get no token. Throws only on
 * interrupt; failures contain no text of the answer.
 *
 * @param file its path in the repository; `revision` is a commit
 */
export function readStart(
  { hub, repo, revision, token }: HubRevision,
  file: string,
  access: HubAccess,
  limits: HubLimits = hubLimits,
): Promise<HubAnswer<Buffer>> {
  const path = `/${repo}/resolve/${revision}/${file.split('/').map(encodeURIComponent).join('/')}`
  const request = { hub, path, ...defined({ token }) }
  return askPatiently(hub, access, limits, (asking) => follow(request, asking))
}

async function follow(request: HubRequest, asking: Asking): Promise<Outcome<Buffer>> {
  const { origin, hostname } = new URL(request.hub)
  let url = new URL(`${request.hub}${request.path}`)
  for (let count = 0; count <= mostRedirects; count++) {
    // oxlint-disable-next-line no-await-in-loop -- each answer names the next address
    const answer = await askOnce(url, request, start, asking)
    if (!('location' in answer)) return answer.ok || url.origin === origin ? answer : ofAnother(answer)
    const next = URL.parse(answer.location, url.href)
    if (next === null || !/^https?:$/.test(next.protocol)) return failed('unreadable', 'it redirects to an invalid address')
    // A hub must not redirect requests to services of this machine.
    if (isLoopback(next.hostname) && !isLoopback(hostname)) return failed('unreadable', 'it redirects to this machine')
    url = next
  }
  return failed('unreadable', 'it redirects too often')
}

/** A refusal by a redirect target does not concern the repository. */
function ofAnother(failure: Failure): Failure {
  return failure.reason === 'unreachable' ? failure : failed('unreadable', `its redirect target: ${failure.detail}`)
}

const start: Question<Buffer> = {
  headers: { range: `bytes=0-${startBytes - 1}` },
  wanted: [200, 206],
  read: async ({ statusCode, headers, body }) => {
    if (statusCode === 206 && !String(headers['content-range']).startsWith('bytes 0-')) {
      body.on('error', () => undefined).destroy()
      return failed('unreadable', 'it did not send the requested range')
    }
    return { ok: true, value: await startOf(body) }
  },
}

/** A server that ignores the range sends more, which is discarded. */
async function startOf(body: Dispatcher.ResponseData['body']): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= startBytes) break
  }
  return Buffer.concat(chunks).subarray(0, startBytes)
}
