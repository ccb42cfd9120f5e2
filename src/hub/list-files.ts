import { defined } from '../lib/defined.ts'
import { isObject } from '../lib/json-object.ts'
import { isBelow } from '../lib/posix-path.ts'
import type { HubDigest, HubFile } from '../model/hub-file.ts'
import { getJson } from './get-json.ts'
import type { HubAccess } from './hub-access.ts'
import type { HubAnswer } from './hub-answer.ts'
import type { HubRevision } from './resolve-revision.ts'

/** No model repository has as many. */
const mostPages = 50
/** For all pages together, including waits that the hub asks for. */
const mostMs = 10 * 60_000

/** Every file of a repository at a commit. One invalid entry makes all of them unreadable. */
export async function listFiles(
  { hub, repo, revision, token }: HubRevision,
  access: HubAccess,
): Promise<HubAnswer<readonly HubFile[]>> {
  const files = new Map<string, HubFile>()
  let path: string | undefined = `/api/models/${repo}/tree/${encodeURIComponent(revision)}?recursive=true`
  const until = access.clock.now() + mostMs
  for (let count = 0; path !== undefined; count++) {
    if (count >= mostPages || access.clock.now() > until) return unreadable('its list of files does not end')
    const answer = await getJson({ hub, path, ...defined({ token }) }, access)
    if (!answer.ok) return answer
    const { body, next } = answer.value
    if (!Array.isArray(body)) return unreadable('its list of files is not a list')
    for (const entry of body) {
      if (isObject(entry) && entry['type'] === 'directory') continue
      const file = fileOf(entry)
      if (file === undefined || files.has(file.path)) return unreadable('its list of files has an invalid entry')
      files.set(file.path, file)
    }
    path = next
  }
  return { ok: true, value: [...files.values()] }
}

function unreadable(detail: string): HubAnswer<never> {
  return { ok: false, reason: 'unreadable', detail }
}

/** `{type, path, size, oid, lfs: {oid, size}}`; for files in large file storage, the outer `oid` is the pointer's. */
function fileOf(entry: unknown): HubFile | undefined {
  if (!isObject(entry) || entry['type'] !== 'file') return undefined
  const { path, size: bytes, oid, lfs } = entry
  if (typeof path !== 'string' || !isBelow(path)) return undefined
  if (typeof bytes !== 'number' || !Number.isSafeInteger(bytes) || bytes < 0) return undefined
  if (isObject(lfs) && lfs['size'] !== bytes) return undefined
  const digest = isObject(lfs) ? digestIn('sha256', lfs['oid']) : digestIn('git', oid)
  return digest === undefined ? undefined : { path, bytes, digest }
}

const digests = { sha256: /^[0-9a-f]{64}$/, git: /^[0-9a-f]{40}$/ }

function digestIn(kind: HubDigest['kind'], hex: unknown): HubDigest | undefined {
  return typeof hex === 'string' && digests[kind].test(hex) ? { kind, hex } : undefined
}
