import { converge } from '../../lib/next-command.ts'
import type { FetchFailure, FetchJob } from '../../model/fetch.ts'
import type { Problem } from '../../model/plan.ts'

const words = {
  unreachable: {
    code: 'HUB.UNREACHABLE',
    summary: 'The hub has not answered for hours.',
    why: 'no byte arrived for more than two hours',
    next: ['Run converge fetch again when it answers; what has arrived is kept.'],
  },
  denied: {
    code: 'HUB.DENIED',
    summary: 'The hub does not list this file.',
    why: 'the hub answered 401 or 403',
    next: ['Accept its terms on its page, and set a token in model.source:  token: { env: HF_TOKEN }'],
  },
  gated: {
    code: 'MODEL.GATED',
    summary: 'The terms of the repository have not been accepted.',
    why: 'the hub gives it only to accounts that have accepted its terms',
    next: ['Accept them on its page, and set a token of that account in model.source:  token: { env: HF_TOKEN }'],
  },
  absent: {
    code: 'HUB.ABSENT',
    summary: 'The hub no longer has this file.',
    why: 'the hub answered 404',
    next: [converge(['pin', '--update'], { say: 'Compare with the page of the repository, then:' })],
  },
  unreadable: {
    code: 'HUB.UNREADABLE',
    summary: 'The hub address answers with something else.',
    why: 'the answer was not the requested part',
    next: ['Check whether a proxy or a login page answers on that host instead.'],
  },
  full: {
    code: 'MODEL.NO_SPACE',
    summary: 'The disk is full.',
    why: 'no space is left',
    next: ['Free space there, then run converge fetch again; what has arrived is kept.'],
  },
  mismatch: {
    code: 'MODEL.DIGEST_MISMATCH',
    summary: 'The digest of the download was wrong twice.',
    why: 'twice, the data differed from what the hub lists; it was discarded',
    next: [
      converge(['fetch'], { say: 'Fetch it again later, or over another network:' }),
      converge(['fetch', 'log'], { say: 'See what happened:' }),
    ],
  },
  other: {
    code: 'MODEL.DIGEST_MISMATCH',
    summary: 'Another file occupies the path of the model.',
    why: 'the existing file has another digest than the hub lists; it was left alone',
    next: ['Move it away if it is not needed, or give model.path another name; then run converge fetch again.'],
  },
  unread: {
    code: 'FETCH.UNREADABLE',
    summary: 'A file could not be hashed.',
    why: 'it could not be read completely, it changed meanwhile, or converge’s own folder is full',
    next: [converge(['fetch', 'log'], { say: 'See what happened:' }), 'Then run converge fetch again; what has arrived is kept.'],
  },
  tools: {
    code: 'MODEL.NO_FETCHER',
    summary: 'The host has no program to download with.',
    why: 'curl and the wget of BusyBox are missing or not usable, or there is no tool for digests',
    next: ['Install curl (BusyBox wget is enough without a token), and sha256sum, shasum or openssl.'],
  },
  unwritable: {
    code: 'FETCH.UNWRITABLE',
    summary: 'The files cannot be written.',
    why: 'its folder cannot be created or is not writable, or its volume is not mounted',
    next: ['Give the account that converge uses write access, or set ansible_become: true.'],
  },
  busy: {
    code: 'FETCH.BUSY',
    summary: 'Another download is fetching the same file.',
    why: 'there is a lock beside it',
    next: [converge(['fetch', 'log'], { say: 'See which:' })],
  },
  neighbour: {
    code: 'FETCH.NO_NEIGHBOUR',
    summary: 'No other host of the fleet supplied the complete file.',
    why: 'it did not arrive completely from other hosts, and the hub must not be used (`from: fleet`)',
    next: ['Run converge fetch again; what has arrived is kept.', 'Or allow the hub:  model.source.from: auto'],
  },
} as const satisfies Readonly<Record<FetchFailure, Pick<Problem, 'code' | 'summary' | 'why' | 'next'>>>

/** Why a job failed, and what to do. */
export function failureProblem(host: string, { reason = 'unreachable', path }: Pick<FetchJob, 'reason' | 'path'>): Problem {
  const { code, summary, why, next } = words[reason]
  return { code, summary, why: `On ${host}${path === undefined ? '' : `, ${path}`}: ${why}.`, next }
}
