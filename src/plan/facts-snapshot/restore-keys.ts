import { mapValues } from '../../lib/map-values.ts'
import { ownMember } from '../../lib/own-member.ts'
import type { DefinitionFile, HostFacts, KeyFile, Resident } from '../../model/facts.ts'
import type { FactsFile, KeyClaim } from '../../model/facts-file.ts'
import type { Fleet, Host } from '../../model/fleet.ts'
import { known, mapObserved, type Observed, type Unknown, unknown } from '../../model/observed.ts'
import { redactedText } from '../../model/secret.ts'
import { digestOfText, saltedDigestOfText } from '../../simulate/digest.ts'
import { ownsResident } from '../../simulate/own-processes.ts'
import type { Keys } from '../../simulate/service-case.ts'
import { digestsIn, saltedKey, textDigest } from './key-claims.ts'
import { type KeyHolders, keyHoldersOn, referenceDigest } from './key-holders.ts'

/**
 * Puts the current keys where, by the snapshot, the host held the key of that time, so that a comparison finds what it would have found then.
 * Where that cannot be determined, it is unknown. A key that is not available now is not compared.
 */
export function restoreKeys(fleet: Fleet, host: Host, file: Pick<FactsFile, 'facts' | 'keys'>, keys: Keys): HostFacts {
  return keyHoldersOn(fleet, host, { facts: file.facts, keys })
    .filter(({ subject }) => subject.key?.known === true)
    .reduce((facts, holders) => restoreOne(facts, holders, claimFor(fleet, file.keys, holders)), file.facts)
}

/** A claim about another key says nothing about this one. */
function claimFor(
  fleet: Fleet,
  claims: Readonly<Record<string, KeyClaim>>,
  { subject: { service } }: KeyHolders,
): KeyClaim | undefined {
  const claim = ownMember(claims, service.name)
  return claim?.reference === referenceDigest(fleet, service) ? claim : undefined
}

function restoreOne(facts: HostFacts, holders: KeyHolders, claim: KeyClaim | undefined): HostFacts {
  const { definition = '', keyFile, subject } = holders
  const from = facts.definitions[definition]
  const digest = definitionDigest(from, holders, claim)
  const restored: HostFacts = {
    ...facts,
    keyFiles: changed(facts.keyFiles, keyFile, (seen) => restoreKeyFile(seen, holders, claim)),
    residents: mapObserved(facts.residents, (all) =>
      all.map((one) => (ownsResident(subject, one) ? restoreEnvironment(one, holders, claim) : one)),
    ),
    http: changed(facts.http, subject.service.name, (seen) =>
      claim !== undefined ? seen : mapObserved(seen, (fact) => ({ ...fact, keyAccepted: undetermined })),
    ),
  }
  if (digest === undefined || from?.known !== true || from.value === null) return restored
  if (typeof digest !== 'string') return { ...restored, definitions: { ...facts.definitions, [definition]: digest } }
  return withDigest(restored, { path: definition, file: from.value, digest })
}

/** Replaces the concealed digest with the real one everywhere. */
function withDigest(
  facts: HostFacts,
  { path, file, digest }: { readonly path: string; readonly file: DefinitionFile; readonly digest: string },
): HostFacts {
  const real = (one: string) => (one === file.digest ? digest : one)
  return {
    ...facts,
    definitions: { ...facts.definitions, [path]: known({ ...file, digest }) },
    applied: mapObserved(facts.applied, (records) =>
      mapValues(records, ({ warmup, ...record }) => ({
        ...record,
        definitionDigest: real(record.definitionDigest),
        ...(warmup === undefined ? {} : { warmup: { ...warmup, definitionDigest: real(warmup.definitionDigest) } }),
      })),
    ),
  }
}

const undetermined: Unknown = unknown('not-gathered', 'the facts snapshot does not show whether it is the current key')

/** Undefined: the digest stays as it is, because only in the desired text does it matter which key is in it. */
function definitionDigest(
  seen: Observed<DefinitionFile | null> | undefined,
  { rendered }: KeyHolders,
  claim: KeyClaim | undefined,
): string | Unknown | undefined {
  if (rendered === undefined || seen?.known !== true || seen.value === null) return undefined
  const { content } = rendered.definition
  if (!seen.value.content.includes('***') || seen.value.content !== redactedText(content)) return undefined
  if (claim?.definition === undefined) return undetermined
  return claim.definition === 'wanted' ? digestOfText(content) : undefined
}

function restoreKeyFile(
  seen: Observed<KeyFile | null>,
  { rendered, subject }: KeyHolders,
  claim: KeyClaim | undefined,
): Observed<KeyFile | null> {
  if (rendered?.keyFile === undefined || !seen.known || seen.value === null) return seen
  const { content } = rendered.keyFile
  if (claim?.key_file === undefined) return undetermined
  const { holds, text } = claim.key_file
  if (text !== textDigest(content)) return holds === 'wanted' ? seen : undetermined
  return holds === 'other' ? seen : known({ ...seen.value, saltedDigest: saltedDigestOfText(subject.facts.salt, content) })
}

/** If a variable cannot be determined, only its presence is kept. */
function restoreEnvironment({ env, ...process }: Resident, { subject }: KeyHolders, claim: KeyClaim | undefined): Resident {
  if (env === undefined || subject.key?.known !== true) return env === undefined ? process : { ...process, env }
  const { value } = subject.key
  const concealed = digestsIn(env)
  const restored = concealed.map(([name, digest]): readonly [string, string] => {
    const verdict = claim?.environment?.[name]
    return [name, verdict === undefined ? '***' : verdict === 'wanted' ? saltedKey(subject.facts, value) : digest]
  })
  const hidden = new Set(concealed.map(([name]) => name))
  const plain = Object.entries(env).filter(([name]) => !hidden.has(name))
  return { ...process, env: Object.fromEntries([...plain, ...restored]) }
}

function changed<T>(record: Readonly<Record<string, T>>, name: string, change: (value: T) => T): Readonly<Record<string, T>> {
  const value = ownMember(record, name)
  return value === undefined ? record : { ...record, [name]: change(value) }
}
