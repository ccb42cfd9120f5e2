import { digestOf, sha256 } from '../lib/digest.ts'
import type { Plan } from '../model/plan.ts'
import { Secret, type SecretText } from '../model/secret.ts'

/** SHA-256 of a file as it would lie on the host, keys included: what is compared with the digest the probe brings back. */
export function digestOfText(text: SecretText): string {
  return sha256(revealed(text))
}

/** `sha256(salt + content)`, the form in which the probe tells a key file, so that no digest of a weak key travels twice. */
export function saltedDigestOfText(salt: string, text: SecretText): string {
  return sha256(salt + revealed(text))
}

/** A SHA-256 for people, who compare its beginning. */
export function shortDigest(digest: string): string {
  return `sha256 ${digest.slice(0, 12)}`
}

/** The plan with its digest: over everything but the time it was made. */
export function withDigest(plan: Omit<Plan, 'digest' | 'created_at'>, createdAt: string): Plan {
  const { schema, ...rest } = plan
  return { schema, digest: digestOf(plan), created_at: createdAt, ...rest }
}

function revealed(text: SecretText): string {
  return text.map((piece) => (piece instanceof Secret ? piece.reveal() : piece)).join('')
}
