import { sha256 } from '../../lib/digest.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { KeyClaim, KeyVerdict } from '../../model/facts-file.ts'
import type { Fleet, Host } from '../../model/fleet.ts'
import { redactedText, type Secret, type SecretText } from '../../model/secret.ts'
import { digestOfText, saltedDigestOfText } from '../../simulate/digest.ts'
import { ownsResident } from '../../simulate/own-processes.ts'
import type { Keys } from '../../simulate/service-case.ts'
import { type KeyHolders, keyHoldersOn, referenceDigest } from './key-holders.ts'

/** Records which files and processes hold the current keys, while the keys are available. */
export function claimKeys(
  fleet: Fleet,
  host: Host,
  seen: { readonly facts: HostFacts; readonly keys: Keys },
): Readonly<Record<string, KeyClaim>> {
  const claims = keyHoldersOn(fleet, host, seen).map((holders): [string, KeyClaim] => {
    const { service } = holders.subject
    const reference = referenceDigest(fleet, service)
    return [service.name, { reference, ...aboutDefinition(holders), ...aboutKeyFile(holders), ...aboutEnvironment(holders) }]
  })
  return Object.fromEntries(claims)
}

/** If the text differs from the desired one, its key is unknown and does not matter. */
function aboutDefinition({ subject, rendered, definition = '' }: KeyHolders): Pick<KeyClaim, 'definition'> {
  const file = subject.facts.definitions[definition]
  if (rendered === undefined || file?.known !== true || file.value === null) return {}
  if (file.value.digest === digestOfText(rendered.definition.content)) return { definition: 'wanted' }
  return file.value.content === redactedText(rendered.definition.content) ? { definition: 'other' } : {}
}

function aboutKeyFile({ subject, rendered, keyFile }: KeyHolders): Pick<KeyClaim, 'key_file'> {
  const file = subject.facts.keyFiles[keyFile]
  if (rendered?.keyFile === undefined || file?.known !== true || file.value === null) return {}
  const { content } = rendered.keyFile
  const holds = verdict(file.value.saltedDigest === saltedDigestOfText(subject.facts.salt, content))
  return { key_file: { holds, text: textDigest(content) } }
}

/** Of the text without its key. */
export function textDigest(content: SecretText): string {
  return sha256(redactedText(content))
}

function aboutEnvironment({ subject }: KeyHolders): Pick<KeyClaim, 'environment'> {
  const { facts, key } = subject
  if (key?.known !== true || !facts.residents.known) return {}
  const wanted = saltedKey(facts, key.value)
  const digests = facts.residents.value.filter((one) => ownsResident(subject, one)).flatMap((one) => digestsIn(one.env ?? {}))
  if (digests.length === 0) return {}
  return { environment: Object.fromEntries(digests.map(([name, digest]) => [name, verdict(digest === wanted)])) }
}

/** The digest that the probe reports for a key in the environment of a process. */
export function saltedKey({ salt }: Pick<HostFacts, 'salt'>, key: Secret): string {
  return saltedDigestOfText(salt, [key])
}

/** Variables for which the probe reports only a digest. */
export function digestsIn(env: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(env).filter(([, value]) => isDigest(value))
}

function isDigest(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}

function verdict(same: boolean): KeyVerdict {
  return same ? 'wanted' : 'other'
}
