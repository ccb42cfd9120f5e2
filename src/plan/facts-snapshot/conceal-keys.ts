import { sha256 } from '../../lib/digest.ts'
import { mapValues } from '../../lib/map-values.ts'
import type { AppliedRecord } from '../../model/applied-record.ts'
import type { HostFacts, Resident } from '../../model/facts.ts'
import type { Fleet, Host } from '../../model/fleet.ts'
import { mapObserved } from '../../model/observed.ts'
import { Secret } from '../../model/secret.ts'
import { digestOfText } from '../../simulate/digest.ts'
import type { Keys } from '../../simulate/service-case.ts'
import { digestsIn } from './key-claims.ts'
import { keyHoldersOn, ownPidsOn } from './key-holders.ts'

/** Replaces a digest with another one, always the same for the same digest. */
type Conceal = (digest: string) => string

/**
 * The facts without anything from which a key could be found: a short key is quickly guessed from its digest, salted or not. The environment of
 * foreign processes is left out.
 *
 * @param pepper random, and never stored
 */
export function concealKeys(
  fleet: Fleet,
  host: Host,
  { facts, keys, pepper }: { readonly facts: HostFacts; readonly keys: Keys; readonly pepper: string },
): HostFacts {
  const conceal: Conceal = (digest) => sha256(`${pepper} ${digest}`)
  const open = openDigests(fleet, host, { facts, keys })
  const own = ownPidsOn(fleet, host, facts)
  const shut: Conceal = (digest) => (open.has(digest) ? digest : conceal(digest))
  return {
    ...facts,
    salt: 'concealed',
    definitions: mapValues(facts.definitions, (seen) =>
      mapObserved(seen, (file) => (file === null ? null : { ...file, digest: shut(file.digest) })),
    ),
    keyFiles: mapValues(facts.keyFiles, (seen) =>
      mapObserved(seen, (file) => (file === null ? null : { ...file, saltedDigest: conceal(file.saltedDigest) })),
    ),
    residents: mapObserved(facts.residents, (all) => all.map((one) => withoutKeys(one, own, conceal))),
    applied: mapObserved(facts.applied, (records) => mapValues(records, (record) => concealedRecord(record, open, conceal))),
  }
}

/** Digests of texts without a key: definitions on the host, and definitions rendered from the inventory. */
function openDigests(fleet: Fleet, host: Host, seen: { readonly facts: HostFacts; readonly keys: Keys }): ReadonlySet<string> {
  const files = Object.values(seen.facts.definitions).flatMap((one) => (one.known && one.value !== null ? [one.value] : []))
  const wanted = keyHoldersOn(fleet, host, seen).flatMap(({ rendered }) =>
    rendered === undefined ? [] : [rendered.definition.content],
  )
  return new Set([
    ...files.filter(({ content }) => !content.includes('***')).map(({ digest }) => digest),
    ...wanted.filter((text) => !text.some((piece) => piece instanceof Secret)).map(digestOfText),
  ])
}

function withoutKeys({ env, ...resident }: Resident, own: ReadonlySet<number>, conceal: Conceal): Resident {
  if (env === undefined || !own.has(resident.pid)) return resident
  return { ...resident, env: { ...env, ...Object.fromEntries(digestsIn(env).map(([name, digest]) => [name, conceal(digest)])) } }
}

function concealedRecord(record: AppliedRecord, open: ReadonlySet<string>, conceal: Conceal): AppliedRecord {
  const { definitionDigest, warmup, wanted } = record
  const shut: Conceal = (digest) => (open.has(digest) ? digest : conceal(digest))
  return {
    ...record,
    definitionDigest: wanted['keyDelivery'] === 'file' ? definitionDigest : shut(definitionDigest),
    ...(warmup === undefined ? {} : { warmup: { ...warmup, definitionDigest: shut(warmup.definitionDigest) } }),
  }
}
