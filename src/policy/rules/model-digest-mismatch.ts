import { converge } from '../../lib/next-command.ts'
import type { HubDigest } from '../../model/hub-file.ts'
import { type Mismatch, mismatchesOf } from '../../simulate/fetch/mismatch.ts'
import { bringsUp } from '../brings-up.ts'
import type { Evidence, Rule } from '../rule.ts'
import { gib, inventoryLine } from '../words.ts'

/** The most files that the evidence names. */
const mostNamed = 5

export const modelDigestMismatch: Rule = {
  code: 'MODEL.DIGEST_MISMATCH',
  severity: 'refuse',
  title: 'The model does not match its source.',
  explain:
    'The size or digest of a model file differs from what its hub lists at that commit, or from `model.source.sha256`. The file was cut off, ' +
    'damaged or replaced, or it is of another revision. Or what `converge fetch` downloaded had a wrong digest twice. No server is started on ' +
    'it, and it is never overwritten. Move it away and fetch the model, pin the revision that the host has, or correct the source.',
  consentable: false,
  checkAction(context) {
    const { service, host, fetch } = context
    if (fetch === undefined || !bringsUp(context)) return []
    const mismatches = mismatchesOf(fetch)
    const [first] = mismatches
    if (first === undefined) return []
    const { source } = fetch.about.model
    const more = mismatches.length - mostNamed
    const evidence: readonly Evidence[] = [
      inventoryLine(service, ['model', 'source'], `${service.name}: model.source ${source.repo} at ${source.revision}`),
      ...mismatches.slice(0, mostNamed).map((one) => `${host.name}: ${mismatchWords(one)}`),
      ...(more > 0 ? [`${host.name}: and ${more} more`] : []),
    ]
    const origin = first.wanted.by === 'hub' ? `that ${source.hub} lists` : 'that the inventory names'
    return [
      {
        why: `${service.name} on ${host.name} loads ${service.model.path}, but ${first.path} is not the file ${origin}.`,
        evidence,
        next: [
          converge(['fetch', '--limit', host.name, '--service', service.name], {
            say: `Move ${first.path} away if it is not needed, then:`,
          }),
          'Or set model.source.revision to the revision of the file.',
        ],
      },
    ]
  },
}

/** The part that shows the difference: sizes where they differ, else digests. */
function mismatchWords({ path, bytes, digest, wanted }: Mismatch): string {
  if (wanted.bytes !== undefined && wanted.bytes !== bytes) return `${path} has ${sizeWords(bytes, wanted.bytes)}`
  return `${path} has ${digest === undefined ? 'another digest' : shortOf(digest)}, expected ${shortOf(wanted.digest)}`
}

function sizeWords(found: number, wanted: number): string {
  const [one, other] = [gib(found), gib(wanted)]
  return one === other ? `${found} bytes, expected ${wanted}` : `${one}, expected ${other}`
}

function shortOf({ kind, hex }: HubDigest): string {
  return `${kind} ${hex.slice(0, 12)}…`
}
