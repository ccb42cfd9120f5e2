import { converge } from '../lib/next-command.ts'
import type { Fleet, Host, SecretReference, Service } from '../model/fleet.ts'
import type { NextStep } from '../model/next-step.ts'
import type { NotAskedThen, Unknown } from '../model/observed.ts'
import { type KeyedSource, type KeyPath, keyId, placeOfKey } from '../model/source.ts'
import type { Evidence, Finding, KeyEvidence } from './rule.ts'

export const gibibyte = 1024 ** 3

/** `12.4 GiB`, or MiB below one. */
export function gib(bytes: number): string {
  if (bytes > 0 && bytes < 1024 ** 2) return 'less than 1 MiB'
  if (Math.abs(bytes) < gibibyte) return `${Math.round(bytes / 1024 ** 2)} MiB`
  return `${(bytes / gibibyte).toFixed(1)} GiB`
}

/**
 * What people wrote, and where: `inventories/home/host_vars/nas.yaml:12:5: coder: port 9999`.
 *
 * @param key the key that says it; where it is not written, what is above it is pointed at
 */
export function inventoryLine(of: Service | Host, key: KeyPath, text: string): Evidence {
  return { ...keyEvidence(of.source, key, text), ...('host' in of ? { service: of.name } : {}) }
}

/** The same of a setting of the fleet, below `fleet`; a default stands nowhere and says that it is one. */
export function fleetLine({ source }: Fleet, key: KeyPath, text: string): Evidence {
  if (source === undefined || !Object.hasOwn(source.keys, keyId(key))) return `${text}, the default: the inventory sets none`
  return keyEvidence(source, key, text)
}

function keyEvidence(source: KeyedSource, key: KeyPath, text: string): KeyEvidence {
  return { text, at: placeOfKey(source, key), written: Object.hasOwn(source.keys, keyId(key)) }
}

/** A decision that cannot be taken, because a fact it needs could not be read. `decision` continues "so it is not known". */
export function factUnknown(
  fact: string,
  observed: Unknown | NotAskedThen,
  words: { readonly host: string; readonly decision: string; readonly next?: readonly NextStep[] },
): Finding {
  return {
    code: 'FACT.UNKNOWN',
    why: `${fact} on ${words.host} could not be read (${unknownWords(observed)}), so it is not known ${words.decision}. What was not seen is not assumed.`,
    // All there is to see is why it was not seen, and that is said.
    evidence: [],
    next: [...(words.next ?? []), 'remedy' in observed ? observed.remedy : converge(['facts', '--limit', words.host])],
  }
}

const reasons: Readonly<Record<Unknown['because'], string>> = {
  unreachable: 'the host cannot be reached',
  'no-such-tool': 'the host lacks the tool that tells it',
  'not-running': 'what tells it does not run',
  'not-permitted': 'the account is not permitted to see it',
  'timed-out': 'it took too long',
  unreadable: 'the answer could not be understood',
  'not-gathered': 'it was not asked for',
  'wrong-platform': 'this platform does not tell it',
}

/** Why something is unknown, in words, with the tool's own where there are any. */
export function unknownWords(observed: Unknown): string {
  const { because, detail } = observed
  if (detail === undefined) return reasons[because]
  // Who did not ask says in a sentence of its own what and why.
  return because === 'not-gathered' ? detail : `${reasons[because]}: ${detail}`
}

/** Where a key is to be found, in a sentence. */
export function referenceWords(reference: SecretReference): string {
  if ('env' in reference) return `the environment variable ${reference.env}`
  if ('file' in reference) return `the file ${reference.file}`
  if ('command' in reference) return `the command ${reference.command[0] ?? ''}`
  return 'a vault block in the inventory'
}
