import { defined } from '../../lib/defined.ts'
import { expandHostName } from '../expand-host-name.ts'

/** A host for a new inventory, as a person names it. */
export interface Target {
  /** Its name in the inventory. */
  readonly name: string
  /** Absent: ssh knows it by its name. */
  readonly address?: string
  readonly port?: number
  readonly user?: string
}

/**
 * Reads `[NAME=][USER@]HOST[:PORT]`.
 *
 * @returns a sentence if it is not one host
 */
export function readTarget(text: string): Target | string {
  const { name: given, user, host = '' } = /^(?:(?<name>[^=@]*)=)?(?:(?<user>[^@]*)@)?(?<host>[^]*)$/u.exec(text)?.groups ?? {}
  if (user !== undefined && !userName.test(user)) return `\`${user}\` is not a login name.`
  const found = expandHostName(host)
  if (typeof found === 'string') return found
  const [address = '', ...more] = found.names
  if (more.length > 0) return `\`${host}\` stands for several hosts. Name each of them.`
  const name = given ?? address
  const fault = nameFault(name)
  return fault ?? { name, ...defined({ address: address === name ? undefined : address, port: found.port, user }) }
}

function nameFault(name: string): string | undefined {
  if (taken.has(name)) return `\`${name}\` is a group of every inventory. Give the host another name: NAME=HOST.`
  const found = expandHostName(name)
  const isOne = typeof found !== 'string' && found.port === undefined && found.names.length === 1 && found.names[0] === name
  return isOne ? undefined : `\`${name}\` is not a valid name of a host.`
}

/** Also of a Windows domain: `DOMAIN\name`. */
const userName = /^[\p{L}\p{N}_][\p{L}\p{N}_.\\+-]*\$?$/u

/** Groups of every inventory. */
const taken: ReadonlySet<string> = new Set(['all', 'ungrouped'])
