import { defined } from '../lib/defined.ts'
import { isObject } from '../lib/json-object.ts'
import { getJson } from './get-json.ts'
import type { HubAccess } from './hub-access.ts'
import type { HubAnswer } from './hub-answer.ts'
import type { HubRevision } from './resolve-revision.ts'

/** Beyond these the exact number does not matter. */
const mostPages = 4

/**
 * How many commits a revision is ahead of an earlier one. `null`: the earlier one is not listed, because it is on another branch or very far
 * behind.
 */
export async function countCommits(
  { hub, repo, revision, token }: HubRevision,
  since: string,
  access: HubAccess,
): Promise<HubAnswer<number | null>> {
  let path: string | undefined = `/api/models/${repo}/commits/${encodeURIComponent(revision)}`
  let passed = 0
  for (let count = 0; path !== undefined && count < mostPages; count++) {
    // oxlint-disable-next-line no-await-in-loop -- each page names the next one
    const answer = await getJson({ hub, path, ...defined({ token }) }, access)
    if (!answer.ok) return answer
    const { body, next } = answer.value
    if (!Array.isArray(body)) return { ok: false, reason: 'unreadable', detail: 'its list of commits is not a list' }
    const at = body.findIndex((commit) => isObject(commit) && commit['id'] === since)
    if (at >= 0) return { ok: true, value: passed + at }
    passed += body.length
    path = next
  }
  return { ok: true, value: null }
}
