import { hash } from 'node:crypto'
import { hostname } from 'node:os'
import { ownMember } from '../../lib/own-member.ts'

/** Values for the `%` tokens of ssh_config(5). */
export interface TokenContext {
  readonly name: string
  readonly hostname: string
  readonly port: number
  readonly user: string
  readonly hostKeyAlias?: string
  readonly proxyJump?: string
  readonly local: { readonly user: string; readonly home: string; readonly uid: number }
}

/**
 * Expands `~`, `%` tokens and `${NAME}` as ssh does; `ssh -G` leaves most of them unexpanded. Undefined: it contains a token that
 * ssh_config(5) does not define.
 */
export function expandTokens(
  text: string,
  context: TokenContext,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  let unknown = false
  const expanded = text.replace(/%(.?)/g, (_, letter: string) => {
    const value = tokens[letter]?.(context)
    if (value === undefined) unknown = true
    return value ?? ''
  })
  if (unknown) return undefined
  return expandHome(expanded, context.local.home).replace(
    /\$\{([^}]+)\}/g,
    (whole, name: string) => ownMember(env, name) ?? whole,
  )
}

function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? `${home}${path.slice(1)}` : path
}

const tokens: Readonly<Record<string, (context: TokenContext) => string>> = {
  '%': () => '%',
  C: (to) => hash('sha1', `${hostname()}${to.hostname}${to.port}${to.user}${to.proxyJump ?? ''}`),
  d: (to) => to.local.home,
  h: (to) => to.hostname,
  i: (to) => String(to.local.uid),
  j: (to) => to.proxyJump ?? '',
  k: (to) => to.hostKeyAlias ?? to.name,
  L: () => hostname().split('.')[0] ?? '',
  l: () => hostname(),
  n: (to) => to.name,
  p: (to) => String(to.port),
  r: (to) => to.user,
  u: (to) => to.local.user,
}
