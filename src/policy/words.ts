import { converge } from '../lib/next-command.ts'
import type { ActionKind } from '../model/action.ts'
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
 * A key of the inventory and its position: `inventories/home/host_vars/nas.yaml:12:5: coder: port 9999`.
 *
 * @param key the key behind the text; if it is not written, the position is that of its parent
 */
export function inventoryLine(of: Service | Host, key: KeyPath, text: string): Evidence {
  return { ...keyEvidence(of.source, key, text), ...('host' in of ? { service: of.name } : {}) }
}

/** The same for a setting of the fleet, below `fleet`. A default has no position, so the text says that it is a default. */
export function fleetLine({ source }: Fleet, key: KeyPath, text: string): Evidence {
  if (source === undefined || !Object.hasOwn(source.keys, keyId(key))) return `${text} (the default)`
  return keyEvidence(source, key, text)
}

function keyEvidence(source: KeyedSource, key: KeyPath, text: string): KeyEvidence {
  return { text, at: placeOfKey(source, key), written: Object.hasOwn(source.keys, keyId(key)) }
}

/** A decision that cannot be made, because a fact that it needs could not be read. `decision` continues "so it is unknown". */
export function factUnknown(
  fact: string,
  observed: Unknown | NotAskedThen,
  words: { readonly host: string; readonly decision: string; readonly next?: readonly NextStep[] },
): Finding {
  return {
    code: 'FACT.UNKNOWN',
    why: `${fact} on ${words.host} could not be read (${unknownWords(observed)}), so it is unknown ${words.decision}.`,
    // The only evidence is the reason, which `why` already gives.
    evidence: [],
    next: [...(words.next ?? []), 'remedy' in observed ? observed.remedy : converge(['facts', '--limit', words.host])],
  }
}

const reasons: Readonly<Record<Unknown['because'], string>> = {
  unreachable: 'the host cannot be reached',
  'no-such-tool': 'the host lacks the tool that reports it',
  'not-running': 'the program that reports it is not running',
  'not-permitted': 'the account has no permission to read it',
  'timed-out': 'it took too long',
  unreadable: 'the answer could not be parsed',
  'no-session': 'no user is logged in at the screen',
  'not-gathered': 'it was not gathered',
  'wrong-platform': 'this platform does not report it',
}

/** What an action does, as the subject of a sentence: `Restarting`. */
export const gerunds: Readonly<Record<ActionKind, string>> = {
  noop: 'Leaving',
  adopt: 'Adopting',
  install: 'Installing',
  update: 'Updating',
  start: 'Starting',
  restart: 'Restarting',
  stop: 'Stopping',
  remove: 'Removing',
  release: 'Releasing',
  download: 'Downloading',
  'host-setting': 'Changing',
}

/** Why something is unknown, in words, with the message of the tool if there is one. */
export function unknownWords(observed: Unknown): string {
  const { because, detail } = observed
  if (detail === undefined) return reasons[because]
  // This detail is a whole sentence that names the reason.
  return because === 'not-gathered' ? detail : `${reasons[because]}: ${detail}`
}

/** Where a key comes from, for use in a sentence. */
export function referenceWords(reference: SecretReference): string {
  if ('env' in reference) return `the environment variable ${reference.env}`
  if ('file' in reference) return `the file ${reference.file}`
  if ('command' in reference) return `the command ${reference.command[0] ?? ''}`
  return 'a vault block in the inventory'
}
