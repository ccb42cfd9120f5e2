import { isLoopback } from '../lib/loopback.ts'
import type { Secret } from '../model/secret.ts'

/** The address of a webhook. All of it is secret, except from the receiver. */
export interface WebhookAddress {
  readonly origin: string
  readonly path: string
  /** Of `https://user:password@…`. */
  readonly authorization?: string
}

/** The resolved URL, or why it cannot be used, without any part of it. */
export function webhookAddress(secret: Secret, { insecure }: { readonly insecure: boolean }): WebhookAddress | string {
  const url = URL.parse(secret.reveal().trim())
  if (url === null) return `the ${secret.origin} does not contain a URL`
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return `the ${secret.origin} contains a URL that is neither https nor http`
  if (url.protocol === 'http:' && !insecure && !isLoopback(url.hostname))
    return `the ${secret.origin} contains an http URL of another machine: the network could read the message (insecure: true permits that)`
  const { origin, pathname, search, username, password } = url
  const address = { origin, path: `${pathname}${search}` }
  if (username === '') return address
  const authorization = basic(username, password)
  return authorization === undefined
    ? `the ${secret.origin} contains a URL whose user or password is not percent-encoded`
    : { ...address, authorization }
}

/** Undefined: invalid percent-encoding. */
function basic(username: string, password: string): string | undefined {
  try {
    return `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`
  } catch {
    return undefined
  }
}
