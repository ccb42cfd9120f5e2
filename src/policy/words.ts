import type { Host, Service } from '../model/fleet.ts'
import type { Unknown } from '../model/observed.ts'
import type { Finding } from './rule.ts'

export const gibibyte = 1024 ** 3

/** `12.4 GiB`, or MiB below one. */
export function gib(bytes: number): string {
  if (bytes > 0 && bytes < 1024 ** 2) return 'less than 1 MiB'
  if (Math.abs(bytes) < gibibyte) return `${Math.round(bytes / 1024 ** 2)} MiB`
  return `${(bytes / gibibyte).toFixed(1)} GiB`
}

/** Where people wrote it: `inventories/home/hosts.yaml:12: port 9999`. */
export function inventoryLine(of: Service | Host, text: string): string {
  return `${of.source.file}:${of.source.line}: ${text}`
}

/** A decision that cannot be taken, because a fact it needs could not be read. `decision` continues "so it is not known". */
export function factUnknown(
  fact: string,
  observed: Unknown,
  words: { readonly host: string; readonly decision: string; readonly next?: readonly string[] },
): Finding {
  return {
    code: 'FACT.UNKNOWN',
    why: `${fact} on ${words.host} could not be read (${unknownWords(observed)}), so it is not known ${words.decision}. What was not seen is not assumed.`,
    evidence: [`${fact}: unknown, ${observed.because}${observed.detail === undefined ? '' : `: ${observed.detail}`}`],
    next: [...(words.next ?? []), `converge facts --limit ${words.host}`],
  }
}

const reasons: Readonly<Record<Unknown['because'], string>> = {
  unreachable: 'the host cannot be reached',
  'no-such-tool': 'the host lacks the tool that tells it',
  'not-permitted': 'the account is not permitted to see it',
  'timed-out': 'it took too long',
  unreadable: 'the answer could not be understood',
  'not-gathered': 'it was not asked for',
  'wrong-platform': 'this platform does not tell it',
}

/** Why something is unknown, in words, with the tool's own where there are any. */
export function unknownWords(observed: Unknown): string {
  return observed.detail === undefined ? reasons[observed.because] : `${reasons[observed.because]}: ${observed.detail}`
}
