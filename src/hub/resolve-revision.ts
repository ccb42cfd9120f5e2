import { defined } from '../lib/defined.ts'
import { isObject } from '../lib/json-object.ts'
import { isCommit } from '../model/commit.ts'
import type { Secret } from '../model/secret.ts'
import { getJson } from './get-json.ts'
import type { HubAccess } from './hub-access.ts'
import type { HubAnswer } from './hub-answer.ts'

/** One revision of one repository. */
export interface HubRevision {
  readonly hub: string
  readonly repo: string
  readonly revision: string
  readonly token?: Secret
}

/** The current commit of a branch or tag. A commit resolves to itself if it exists. */
export async function resolveRevision(
  { hub, repo, revision, token }: HubRevision,
  access: HubAccess,
): Promise<HubAnswer<string>> {
  const path = `/api/models/${repo}/revision/${encodeURIComponent(revision)}`
  const answer = await getJson({ hub, path, ...defined({ token }) }, access)
  if (!answer.ok) return answer
  const commit = isObject(answer.value.body) ? answer.value.body['sha'] : undefined
  if (typeof commit === 'string' && isCommit(commit) && (!isCommit(revision) || commit === revision))
    return { ok: true, value: commit }
  return { ok: false, reason: 'unreadable', detail: `it returned no commit for ${revision}` }
}
