import { ConvergeError } from '../../errors/converge-error.ts'
import { converge, shell } from '../../lib/next-command.ts'
import type { NextStep } from '../../model/next-step.ts'
import type { Place } from './place.ts'
import { said } from './session-errors.ts'

/** An attempt to connect that ended with this error of the operating system, or of the resolver. */
export function connectFailed(place: Place, error: NodeJS.ErrnoException): ConvergeError {
  switch (error.code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_NODATA':
    case 'EAI_NONAME':
      return nameUnknown(place, error)
    case 'ECONNREFUSED':
      return refused(place, error)
    case 'ETIMEDOUT':
      return timedOut(place, undefined, 'a TCP connection')
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ECONNABORTED':
      return closedEarly(place, error.message)
    case undefined:
    default:
      return unreachable(place, error)
  }
}

/** @param what was waited for: `a TCP connection`, `the end of the SSH handshake and login`. */
export function timedOut(place: Place, ms: number | undefined, what: string): ConvergeError {
  return new ConvergeError('CONNECT.TIMEOUT', {
    summary: 'the host did not answer in time',
    why: `${place.host} (${place.at}) did not answer${ms === undefined ? '' : ` within ${ms / 1000} s`}; waited for ${what}.`,
    next: [
      withVerbose(place, { note: 'shows how far it gets' }),
      converge(['plan', '--timeout', '60'], { note: 'for slow links' }),
    ],
  })
}

/** The other side hung up between the TCP connection and the end of the login. */
export function closedEarly(place: Place, detail: string): ConvergeError {
  return new ConvergeError('CONNECT.RESET', {
    summary: 'the SSH server closed the connection before login',
    why:
      `${place.host} (${place.at}) accepted a connection and hung up before the login was over. It may limit how many connections start at once, ` +
      `or bar this address for a while after failed logins.${said(detail)}`,
    next: [
      withVerbose(place),
      shell('sshd -T | grep -i -e maxstartups -e persourcepenalties', { say: `on ${place.host}:` }),
      converge(['plan', '--forks', '4']),
    ],
  })
}

export function handshakeFailed(place: Place, detail: string): ConvergeError {
  return new ConvergeError('CONNECT.HANDSHAKE', {
    summary: 'no common SSH algorithm, or no SSH server at all',
    why: `${place.host} (${place.at}) and the built-in SSH client could not agree on how to talk.${said(detail)}`,
    next: [withVerbose(place), `set ansible_connection: openssh for ${place.host}`],
  })
}

export function proxyFailed(place: Place, way: string, detail: string): ConvergeError {
  return new ConvergeError('CONNECT.PROXY', {
    summary: 'the connection through the proxy failed',
    why: `${place.host} (${place.at}) could not be reached through ${way}.${said(detail)}`,
    next: [withVerbose(place)],
  })
}

function nameUnknown(place: Place, error: Error): ConvergeError {
  return new ConvergeError('CONNECT.DNS', {
    summary: 'the host name could not be resolved',
    why: `Nobody knows the address of ${place.host} (${place.at}).${said(error.message)}`,
    next: [`set ansible_host for ${place.host}, or HostName in your ssh config`, withVerbose(place)],
  })
}

function refused(place: Place, error: Error): ConvergeError {
  return new ConvergeError('CONNECT.REFUSED', {
    summary: 'nothing listens on the SSH port',
    why: `${place.host} (${place.at}) is up and refused the connection.${said(error.message)}`,
    next: [
      `set ansible_port for ${place.host}`,
      `on ${place.host}: start the SSH server (macOS: Settings, Sharing, Remote Login)`,
    ],
  })
}

function unreachable(place: Place, error: Error): ConvergeError {
  return new ConvergeError('CONNECT.UNREACHABLE', {
    summary: 'there is no route to the host',
    why: `${place.host} (${place.at}) could not be reached.${said(error.message)}`,
    next: [shell(`ping ${addressIn(place)}`), withVerbose(place)],
  })
}

/** The name or number that is connected to, without account and port. */
function addressIn({ at }: Place): string {
  return at.replace(/^.*@/, '').replace(/ port \d+$/, '')
}

function withVerbose(place: Place, around?: { readonly note: string }): NextStep {
  return shell(`${place.sshCommand.replace(/^ssh/, 'ssh -v')} true`, around)
}
