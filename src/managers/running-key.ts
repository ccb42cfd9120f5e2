import { sha256 } from '../lib/digest.ts'
import { ownMember } from '../lib/own-member.ts'
import type { FieldChange } from '../model/action.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Launch } from '../model/launch.ts'
import { known, mapObserved, type Observed } from '../model/observed.ts'
import { Secret } from '../model/secret.ts'
import { restartOf } from './compare-fields.ts'
import { startedBeforeKey } from './key-file.ts'
import type { RenderInput } from './manager.ts'

/** The server that runs, as far as it tells which key it was started with. */
export interface KeyHolder {
  /** Seconds since the epoch by the host's clock. */
  readonly startedAt: number | undefined
  /** As the probe has it: keys as `sha256(salt + value)`. */
  readonly env: Readonly<Record<string, string>> | undefined
}

/**
 * Whether the running server holds another key than the wanted one: it refused ours on its protected path, it has another one in
 * its environment, or, where that is not told, it started before its key file was last written.
 */
export function compareKey(
  { service, key }: RenderInput,
  launch: Launch,
  facts: HostFacts,
  { startedAt, env = {} }: KeyHolder,
): Observed<readonly FieldChange[]> {
  const accepted = ownMember(facts.http, service.name)
  const taken = accepted?.known === true && accepted.value.keyAccepted.known ? accepted.value.keyAccepted.value : undefined
  const changed = (from: string): readonly FieldChange[] => [
    { field: 'running.key', from, to: 'the wanted key', effect: restartOf(service.kind) },
  ]
  if (taken === false) return known(changed('another key: the server refuses the wanted one'))
  const digests = keyNames(launch).flatMap((name) => digestIn(ownMember(env, name)))
  if (key !== undefined && digests.length > 0) {
    const same = digests.every((digest) => isDigestOf(digest, facts.salt, key))
    return known(same ? [] : changed('another key in its environment'))
  }
  // The server's own word beats dates: a clock may have been wrong when the file was written.
  if (taken === true) return known([])
  return mapObserved(startedBeforeKey(service, facts, startedAt), (older) => (older ? changed('older than its key file') : []))
}

function keyNames({ env, secretEnv }: Launch): readonly string[] {
  return [...Object.keys(secretEnv), ...Object.keys(env).filter((name) => env[name] instanceof Secret)]
}

function digestIn(value: string | undefined): readonly string[] {
  return value !== undefined && /^[0-9a-f]{64}$/.test(value) ? [value] : []
}

/** The key stays closed: its digest is made and compared inside. */
function isDigestOf(digest: string, salt: string, key: Secret): boolean {
  return key.rewritten((value) => sha256(salt + value)).matches(new RegExp(`^${digest}$`))
}
