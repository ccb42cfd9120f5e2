import { isLoopback } from '../lib/loopback.ts'
import type { Secret } from '../model/secret.ts'

/** Where a webhook is. It is a secret as a whole: whoever is called may see it, and nobody else. */
export interface WebhookAddress {
  readonly origin: string
  readonly path: string
  /** Of `https://user:password@…`. */
  readonly authorization?: string
}

/** The URL that a reference led to; text: why it cannot be used, without any part of it. */
export function webhookAddress(secret: Secret, { insecure }: { readonly insecure: boolean }): WebhookAddress | string {
  const url = URL.parse(secret.reveal().trim())
  if (url === null) return `the ${secret.origin} holds no URL`
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return `the ${secret.origin} holds a URL that is neither https nor http`
  if (url.protocol === 'http:' && !insecure && !isLoopback(url.hostname))
    return `the ${secret.origin} holds an http URL of another machine: everyone on the way could read it (insecure: true permits that)`
  const { origin, pathname, search, username, password } = url
  const address = { origin, path: `${pathname}${search}` }
  if (username === '') return address
  const authorization = basic(username, password)
  return authorization === undefined
    ? `the ${secret.origin} holds a URL whose user or password is not written in %-codes`
    : { ...address, authorization }
}

/** Undefined: a `%` in it begins no code. */
function basic(username: string, password: string): string | undefined {
  try {
    return `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`
  } catch {
    return undefined
  }
}
