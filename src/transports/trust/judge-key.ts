import { hash } from 'node:crypto'
import type { KnownKeys } from './known-keys.ts'

export type Verdict = 'trusted' | 'unknown' | 'changed' | 'revoked'

/** As `ssh-keygen -lf` prints it. */
export function fingerprint(blob: Buffer): string {
  return `SHA256:${hash('sha256', blob, 'base64').replace(/=+$/, '')}`
}

/** A public key blob starts with the length and the name of its type (RFC 4253, 6.6). */
export function keyTypeOf(blob: Buffer): string {
  return blob.length < 4 ? '' : blob.subarray(4, 4 + blob.readUInt32BE(0)).toString('latin1')
}

/** Whether a host's key is trusted. Revocation takes precedence. */
export function judgeKey(blob: Buffer, known: KnownKeys): Verdict {
  const shown = blob.toString('base64')
  if (known.revoked.some((key) => key.blob === shown)) return 'revoked'
  if (known.trusted.some((key) => key.blob === shown)) return 'trusted'
  return known.trusted.length === 0 ? 'unknown' : 'changed'
}

/**
 * Host key algorithms to offer, best first: those of known keys, so that the server shows one of them; then the others, so that a server
 * without any known key still shows one that the error can name.
 */
export function offeredAlgorithms(known: KnownKeys, allowed: readonly string[]): readonly Algorithm[] {
  const pinned = new Set(known.trusted.flatMap(({ type }) => algorithmsOf(type)))
  const offered = supported.filter((name) => allowed.length === 0 || allowed.includes(name))
  const usable = offered.length === 0 ? supported : offered
  return [...usable.filter((name) => pinned.has(name)), ...usable.filter((name) => !pinned.has(name))]
}

/** Algorithms that ssh2 can verify and OpenSSH considers safe: none with SHA-1. */
const supported = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
] as const

export type Algorithm = (typeof supported)[number]

function algorithmsOf(keyType: string): readonly string[] {
  return keyType === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [keyType]
}
