import { ConvergeError } from '../../errors/converge-error.ts'
import { converge, shell } from '../../lib/next-command.ts'
import type { NextStep } from '../../model/next-step.ts'
import type { Endpoint } from './endpoint.ts'
import { said } from './session-errors.ts'

/** For a failed connect with an error of the operating system or the resolver. */
export function connectFailed(endpoint: Endpoint, error: NodeJS.ErrnoException): ConvergeError {
  switch (error.code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_NODATA':
    case 'EAI_NONAME':
      return nameUnknown(endpoint, error)
    case 'ECONNREFUSED':
      return refused(endpoint, error)
    case 'ETIMEDOUT':
      return timedOut(endpoint, undefined, 'a TCP connection')
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ECONNABORTED':
      return closedEarly(endpoint, error.message)
    case undefined:
    default:
      return unreachable(endpoint, error)
  }
}

/** @param what converge waited for: `a TCP connection`, `the SSH handshake and login` */
export function timedOut(endpoint: Endpoint, ms: number | undefined, what: string): ConvergeError {
  return new ConvergeError('CONNECT.TIMEOUT', {
    summary: 'the host did not answer in time',
    why: `${endpoint.host} (${endpoint.at}) did not answer${ms === undefined ? '' : ` within ${ms / 1000} s`}; waited for ${what}.`,
    next: [
      withVerbose(endpoint, { note: 'shows how far it gets' }),
      converge(['plan', '--timeout', '60'], { note: 'for slow links' }),
    ],
  })
}

/** The server hung up between the TCP connection and the end of the login. */
export function closedEarly(endpoint: Endpoint, detail: string): ConvergeError {
  return new ConvergeError('CONNECT.RESET', {
    summary: 'the SSH server closed the connection before login',
    why:
      `${endpoint.host} (${endpoint.at}) accepted a connection and closed it before the login. It may limit concurrent logins, ` +
      `or block this address for a while after failed logins.${said(detail)}`,
    next: [
      withVerbose(endpoint),
      shell('sshd -T | grep -i -e maxstartups -e persourcepenalties', { say: `on ${endpoint.host}:` }),
      converge(['plan', '--forks', '4']),
    ],
  })
}

export function handshakeFailed(endpoint: Endpoint, detail: string): ConvergeError {
  return new ConvergeError('CONNECT.HANDSHAKE', {
    summary: 'no common SSH algorithm, or no SSH server at all',
    why: `${endpoint.host} (${endpoint.at}) and the built-in SSH client could not agree on an algorithm.${said(detail)}`,
    next: [withVerbose(endpoint), `set ansible_connection: openssh for ${endpoint.host}`],
  })
}

export function proxyFailed(endpoint: Endpoint, via: string, detail: string): ConvergeError {
  return new ConvergeError('CONNECT.PROXY', {
    summary: 'the connection through the proxy failed',
    why: `${endpoint.host} (${endpoint.at}) could not be reached through ${via}.${said(detail)}`,
    next: [withVerbose(endpoint)],
  })
}

function nameUnknown(endpoint: Endpoint, error: Error): ConvergeError {
  return new ConvergeError('CONNECT.DNS', {
    summary: 'the host name could not be resolved',
    why: `The address of ${endpoint.host} (${endpoint.at}) is unknown.${said(error.message)}`,
    next: [`set ansible_host for ${endpoint.host}, or HostName in your ssh config`, withVerbose(endpoint)],
  })
}

function refused(endpoint: Endpoint, error: Error): ConvergeError {
  return new ConvergeError('CONNECT.REFUSED', {
    summary: 'nothing listens on the SSH port',
    why: `${endpoint.host} (${endpoint.at}) is up and refused the connection.${said(error.message)}`,
    next: [
      `set ansible_port for ${endpoint.host}`,
      `on ${endpoint.host}: start the SSH server (macOS: Settings, Sharing, Remote Login)`,
    ],
  })
}

function unreachable(endpoint: Endpoint, error: Error): ConvergeError {
  return new ConvergeError('CONNECT.UNREACHABLE', {
    summary: 'there is no route to the host',
    why: `${endpoint.host} (${endpoint.at}) could not be reached.${said(error.message)}`,
    next: [shell(`ping ${addressIn(endpoint)}`), withVerbose(endpoint)],
  })
}

/** The name or address, without account and port. */
function addressIn({ at }: Endpoint): string {
  return at.replace(/^.*@/, '').replace(/ port \d+$/, '')
}

function withVerbose(endpoint: Endpoint, around?: { readonly note: string }): NextStep {
  return shell(`${endpoint.sshCommand.replace(/^ssh/, 'ssh -v')} true`, around)
}
