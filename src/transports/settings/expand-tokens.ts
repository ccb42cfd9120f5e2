import { hash } from 'node:crypto'
import { hostname } from 'node:os'

/** Who connects where, for the `%` tokens of ssh_config(5). */
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
 * Expands `~`, `%` tokens and `${NAME}` as ssh does; `ssh -G` leaves most of them as they are. Undefined: it holds a token that
 * ssh_config(5) does not define.
 */
export function expandTokens(
  text: string,
  context: TokenContext,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const tokens = tokenValues(context)
  let unknown = false
  const expanded = text.replace(/%(.?)/g, (_, letter: string) => {
    const value = tokens[letter]
    if (value === undefined) unknown = true
    return value ?? ''
  })
  if (unknown) return undefined
  return expandHome(expanded, context.local.home).replace(/\$\{([^}]+)\}/g, (whole, name: string) => env[name] ?? whole)
}

function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? `${home}${path.slice(1)}` : path
}

function tokenValues(context: TokenContext): Readonly<Record<string, string>> {
  const here = hostname()
  const jump = context.proxyJump ?? ''
  return {
    '%': '%',
    C: hash('sha1', `${here}${context.hostname}${context.port}${context.user}${jump}`),
    d: context.local.home,
    h: context.hostname,
    i: String(context.local.uid),
    j: jump,
    k: context.hostKeyAlias ?? context.name,
    L: here.split('.')[0] ?? here,
    l: here,
    n: context.name,
    p: String(context.port),
    r: context.user,
    u: context.local.user,
  }
}
