import { randomBytes } from 'node:crypto'
import { ConvergeError } from '../errors/converge-error.ts'
import type { Connection } from '../model/fleet.ts'
import type { Endpoint } from './errors/endpoint.ts'
import { sudoDenied } from './errors/sudo-errors.ts'
import type { Become } from './remote/remote-command.ts'
import type { SudoPassword } from './remote/sudo-handshake.ts'
import type { TransportOptions } from './transport-options.ts'

/** How commands on one host become another user. */
export interface Elevation {
  /** Undefined: the script runs as the login user. */
  prepare(elevate: boolean): Promise<Elevated | undefined>
  /** Runs a command through sudo with a password; the first one of a host runs alone, so that a wrong password is tried only once. */
  guard<T>(elevated: Elevated | undefined, run: () => Promise<T>): Promise<T>
}

export interface Elevated {
  readonly become: Become
  readonly password?: SudoPassword
}

export function createElevation(connection: Connection, endpoint: Endpoint, options: TransportOptions): Elevation {
  const { become, becomeUser, becomePassword } = connection
  let first: Promise<unknown> | undefined
  return {
    async prepare(elevate) {
      if (!become || !elevate) return undefined
      if (!/^[A-Za-z_][A-Za-z0-9._-]*$/.test(becomeUser)) throw sudoDenied(endpoint, becomeUser, 'that is no user name')
      if (becomePassword === undefined) return { become: { user: becomeUser } }
      const prompt = `sudo-${randomBytes(12).toString('hex')}:`
      const secret = await options.resolveSecret(becomePassword).catch((error: unknown) => {
        throw aboutPassword(error, endpoint)
      })
      return { become: { user: becomeUser, prompt }, password: { secret, prompt } }
    },
    async guard(elevated, run) {
      if (elevated?.password === undefined) return run()
      if (first === undefined) {
        const attempt = run()
        first = attempt.catch(rethrowWrongPassword)
        // Later commands await it; an unhandled rejection is fine.
        first.catch(() => undefined)
        return attempt
      }
      await first
      return run()
    },
  }
}

/** The secret's resolver knows where it should be, not what it is for. */
function aboutPassword(error: unknown, { host }: Endpoint): unknown {
  if (!(error instanceof ConvergeError)) return error
  const { code, summary, why, next } = error
  return new ConvergeError(
    code,
    { summary, why: `The sudo password for ${host} is not available. ${why}`, next },
    { cause: error },
  )
}

/** A wrong password stays wrong; any other failure says nothing about later attempts. */
function rethrowWrongPassword(error: unknown): void {
  if (error instanceof ConvergeError && error.code === 'CONNECT.SUDO_WRONG_PASSWORD') throw error
}
