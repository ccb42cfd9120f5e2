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

/** The running server, as far as its key can be determined. */
export interface KeyHolder {
  /** Seconds since the epoch by the host's clock. */
  readonly startedAt: number | undefined
  /**
   * As the probe or the supervisor reports it: keys as `sha256(salt + value)`, or `***` where only their presence is known. Absent:
   * unreadable.
   */
  readonly env: Readonly<Record<string, string>> | undefined
}

/**
 * Whether the running server holds another key than the desired one, or one where it should have none, or none where it should have one: it
 * refuses the key on its protected path, its environment shows it, or, if the environment is unknown, it started before its key file was
 * last written. Accepting our key proves nothing on its own: a server without a key accepts any.
 */
export function compareKey(
  { service, key }: Pick<RenderInput, 'service' | 'key'>,
  facts: HostFacts,
  { startedAt, env }: KeyHolder,
): Observed<readonly FieldChange[]> {
  const taken = isTaken(ownMember(facts.http, service.name))
  const changed = (from: string | null): readonly FieldChange[] => [
    { field: 'running.key', from, to: key === undefined ? null : '***', effect: restartOf(service.kind) },
  ]
  // Null: unreadable; undefined: it has none.
  const held = keyVariables(service).map((name) => (env === undefined ? null : ownMember(env, name)))
  if (key === undefined) {
    if (taken === false) return known(changed('a key: the server refuses requests without one'))
    return known(held.some((value) => typeof value === 'string') ? changed('a key in its environment') : [])
  }
  if (taken === false) return known(changed('a different key'))
  if (held.includes(undefined)) return known(changed(null))
  const digests = held.flatMap(digestIn)
  if (digests.length > 0) {
    const same = digests.every((digest) => isDigestOf(digest, facts.salt, key))
    return known(same ? [] : changed('a different key in its environment'))
  }
  // The server's own answer beats dates: a clock may have been wrong when the file was written.
  if (taken === true) return known([])
  return mapObserved(startedBeforeKey(service, facts, startedAt), (older) => (older ? changed('older than its key file') : []))
}

/** Whether the server accepted the key; undefined: unknown. */
function isTaken(http: Observed<HttpFact> | undefined): boolean | undefined {
  return http?.known === true && http.value.keyAccepted.known ? http.value.keyAccepted.value : undefined
}

function digestIn(value: string | null | undefined): readonly string[] {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) ? [value] : []
}

/** Computes and compares the digest inside, so that the key stays closed. */
function isDigestOf(digest: string, salt: string, key: Secret): boolean {
  return key.rewritten((value) => sha256(salt + value)).matches(new RegExp(`^${digest}$`))
}
