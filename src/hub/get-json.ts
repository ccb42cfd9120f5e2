import { askOnce, type Question } from './ask-once.ts'
import { type Asking, askPatiently, type Outcome } from './ask-patiently.ts'
import { failed } from './failure.ts'
import { type HubAccess, type HubLimits, type HubRequest, hubLimits } from './hub-access.ts'
import type { HubAnswer } from './hub-answer.ts'

/** A document, or one page of a list. */
export interface HubPage {
  readonly body: unknown
  /** Path of the next page, as `HubRequest.path`. */
  readonly next?: string
}

/**
 * Requests a JSON document from a hub, with retries. Follows a renamed repository within the hub; sends the token nowhere else. Throws only on
 * interrupt; failures contain no text of the answer.
 */
export function getJson(request: HubRequest, access: HubAccess, limits: HubLimits = hubLimits): Promise<HubAnswer<HubPage>> {
  return askPatiently(request.hub, access, limits, (asking) => follow(request, asking))
}

const mostRedirects = 3

async function follow(request: HubRequest, asking: Asking): Promise<Outcome<HubPage>> {
  const { origin } = new URL(request.hub)
  let url = new URL(`${request.hub}${request.path}`)
  for (let count = 0; count <= mostRedirects; count++) {
    // oxlint-disable-next-line no-await-in-loop -- each answer names the next address
    const answer = await askOnce(url, request, askForJson(asking.limits), asking)
    if (!('location' in answer)) return answer.ok ? pageOf(answer.value, request.hub, url) : answer
    const next = URL.parse(answer.location, url.href)
    if (next === null || next.origin !== origin) return failed('unreadable', 'it redirects to another host')
    url = next
  }
  return failed('unreadable', 'it redirects too often')
}

/** A link to the next page must be below the hub's own address; any other would receive the token. */
function pageOf({ body, link }: Answer, hub: string, url: URL): Outcome<HubPage> {
  const target = /<([^<>]*)>\s*;\s*rel="?next"?/.exec(link)?.[1]
  if (target === undefined) return { ok: true, value: { body } }
  const next = URL.parse(target, url.href)?.href
  if (next === undefined || !next.startsWith(`${hub}/`)) return failed('unreadable', 'its list continues on another host')
  return { ok: true, value: { body, next: next.slice(hub.length) } }
}

interface Answer {
  readonly body: unknown
  /** The header, or empty. */
  readonly link: string
}

function askForJson(limits: HubLimits): Question<Answer> {
  return {
    headers: { accept: 'application/json' },
    wanted: [200],
    read: async ({ body, headers }) => {
      const text = await textOf(body, limits.bytes)
      return text === undefined ? failed('unreadable', 'its answer is too large') : parse(text, String(headers['link'] ?? ''))
    },
  }
}

/** Undefined: too long. */
async function textOf(body: AsyncIterable<Uint8Array>, most: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > most) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** A proxy's page with status 200 is no answer of the hub. */
function parse(text: string, link: string): Outcome<Answer> {
  try {
    return { ok: true, value: { body: JSON.parse(text), link } }
  } catch {
    return failed('unreadable', 'its answer is not JSON; perhaps a proxy or a login page answered')
  }
}
