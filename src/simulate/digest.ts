import { digestOf, sha256 } from '../lib/digest.ts'
import type { RenderedDefinition } from '../managers/manager.ts'
import type { Plan } from '../model/plan.ts'
import { Secret, type SecretText } from '../model/secret.ts'

/** SHA-256 of a file as it would be on the host, including keys: comparable with the probe's digest. */
export function digestOfText(text: SecretText): string {
  return sha256(revealed(text))
}

/** SHA-256 that identifies a definition: of its file, or of its part of one. */
export function digestOfDefinition({ content, part }: RenderedDefinition): string {
  return part === undefined ? digestOfText(content) : sha256(part)
}

/** `sha256(salt + content)`, as the probe reports a key file, so that a weak key never has the same digest twice. */
export function saltedDigestOfText(salt: string, text: SecretText): string {
  return sha256(salt + revealed(text))
}

/** A shortened SHA-256 for people. */
export function shortDigest(digest: string): string {
  return `sha256 ${digest.slice(0, 12)}`
}

/** The plan with its digest: over everything except its creation time. */
export function withDigest(plan: Omit<Plan, 'digest' | 'created_at'>, createdAt: string): Plan {
  const { schema, ...rest } = plan
  return { schema, digest: digestOf(plan), created_at: createdAt, ...rest }
}

function revealed(text: SecretText): string {
  return text.map((piece) => (piece instanceof Secret ? piece.reveal() : piece)).join('')
}
