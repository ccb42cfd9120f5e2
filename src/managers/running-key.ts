import { sha256 } from '../lib/digest.ts'
import { ownMember } from '../lib/own-member.ts'
import type { FieldChange } from '../model/action.ts'
import type { HostFacts } from '../model/facts.ts'
import type { HttpFact } from '../model/http-fact.ts'
import { known, mapObserved, type Observed } from '../model/observed.ts'
import type { Secret } from '../model/secret.ts'
import { keyVariables } from '../servers/asked-environment.ts'
import { restartOf } from './compare-fields.ts'
import { startedBeforeKey } from './key-file.ts'
import type { RenderInput } from './manager.ts'

/** The server that runs, as far as it tells which key it was started with. */
export interface KeyHolder {
  /** Seconds since the epoch by the host's clock. */
  readonly startedAt: number | undefined
  /**
   * As the probe or the supervisor has it: keys as `sha256(salt + value)`, or `***` where only that there is one is told. Absent: nobody
   * could read it.
   */
  readonly env: Readonly<Record<string, string>> | undefined
}

/**
 * Whether the running server holds another key than the wanted one, or one or none where it should not: it refused us on its protected
 * path, its environment says so, or, where that is not told, it started before its key file was last written. That it takes our key
 * proves nothing alone: a server without any key takes every one.
 */
export function compareKey(
  { service, key }: Pick<RenderInput, 'service' | 'key'>,
  facts: HostFacts,
  { startedAt, env }: KeyHolder,
): Observed<readonly FieldChange[]> {
  const taken = isTaken(ownMember(facts.http, service.name))
  const changed = (from: string | null): readonly FieldChange[] => [
    { field: 'running.key', from, to: key === undefined ? null : 'the wanted key', effect: restartOf(service.kind) },
  ]
  // Null: nobody could read it; undefined: it has none.
  const held = keyVariables(service).map((name) => (env === undefined ? null : ownMember(env, name)))
  if (key === undefined) {
    if (taken === false) return known(changed('a key: the server refuses who has none'))
    return known(held.some((value) => typeof value === 'string') ? changed('a key in its environment') : [])
  }
  if (taken === false) return known(changed('another key: the server refuses the wanted one'))
  if (held.includes(undefined)) return known(changed(null))
  const digests = held.flatMap(digestIn)
  if (digests.length > 0) {
    const same = digests.every((digest) => isDigestOf(digest, facts.salt, key))
    return known(same ? [] : changed('another key in its environment'))
  }
  // The server's own word beats dates: a clock may have been wrong when the file was written.
  if (taken === true) return known([])
  return mapObserved(startedBeforeKey(service, facts, startedAt), (older) => (older ? changed('older than its key file') : []))
}

/** Whether the server let us in; undefined: it was not heard. */
function isTaken(http: Observed<HttpFact> | undefined): boolean | undefined {
  return http?.known === true && http.value.keyAccepted.known ? http.value.keyAccepted.value : undefined
}

function digestIn(value: string | null | undefined): readonly string[] {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) ? [value] : []
}

/** The key stays closed: its digest is made and compared inside. */
function isDigestOf(digest: string, salt: string, key: Secret): boolean {
  return key.rewritten((value) => sha256(salt + value)).matches(new RegExp(`^${digest}$`))
}
