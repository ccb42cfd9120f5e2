import { ConvergeError } from '../../errors/converge-error.ts'
import { shell } from '../../lib/next-command.ts'
import type { Endpoint } from './endpoint.ts'
import { replaceHostKeys, showHostKeys } from './host-key-commands.ts'
import { closedEarly, connectFailed, handshakeFailed, proxyFailed, timedOut } from './network-errors.ts'
import { said } from './session-errors.ts'

/** Derives an error from the output of an `ssh` that exited with 255. OpenSSH does not translate its messages. */
export function opensshFailed(endpoint: Endpoint, printed: string): ConvergeError {
  const found = causes.find(([pattern]) => pattern.test(printed))
  return found === undefined ? connectFailed(endpoint, new Error(printed.trim())) : found[1](endpoint, printed.trim())
}

type Cause = readonly [RegExp, (endpoint: Endpoint, printed: string) => ConvergeError]

const causes: readonly Cause[] = [
  [/REMOTE HOST IDENTIFICATION HAS CHANGED|Offending .* key/, hostKeyChanged],
  [/REVOKED HOST KEY|is marked as revoked/i, hostKeyRevoked],
  [/Host key verification failed|host key is known for/, hostKeyUnknown],
  [/Permission denied \(|Too many authentication failures/, loginRefused],
  [/Bad configuration option|Can't open user config|bad configuration options|Bad owner or permissions/i, badConfig],
  [/Could not resolve hostname/, (endpoint, printed) => connectFailed(endpoint, withCode(printed, 'ENOTFOUND'))],
  [/stdio forwarding failed|proxy/i, (endpoint, printed) => proxyFailed(endpoint, 'its proxy', printed)],
  [/Connection refused/, (endpoint, printed) => connectFailed(endpoint, withCode(printed, 'ECONNREFUSED'))],
  [/timed out/i, (endpoint) => timedOut(endpoint, undefined, 'ssh to connect')],
  [/Unable to negotiate|no matching/, handshakeFailed],
  [/Connection (closed|reset)|kex_exchange_identification|Broken pipe/, closedEarly],
]

function withCode(printed: string, code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(printed), { code })
}

function hostKeyUnknown(endpoint: Endpoint, printed: string): ConvergeError {
  return new ConvergeError('CONNECT.HOST_KEY_UNKNOWN', {
    summary: 'the host key is unknown',
    why: `ssh has no key for ${endpoint.host} (${endpoint.at}).${said(printed)}`,
    next: [showHostKeys(endpoint), shell(`${endpoint.sshCommand} true`, { say: 'then:', note: 'compare, and answer yes' })],
  })
}

function hostKeyChanged(endpoint: Endpoint, printed: string): ConvergeError {
  const shown = /SHA256:\S+/.exec(printed)?.[0].replace(/\.$/, '') ?? 'another key'
  const offending = /Offending .* key in (.+):(\d+)/.exec(printed)
  const remove = /ssh-keygen -f .*/.exec(printed)?.[0] ?? 'ssh-keygen -R HOST'
  return new ConvergeError('CONNECT.HOST_KEY_CHANGED', {
    summary: 'the host key has changed',
    why:
      `${endpoint.host} (${endpoint.at}) showed ${shown}, and ${offending === null ? 'a known-hosts file' : `${offending[1]}:${offending[2]}`} has another key. ` +
      'The machine was reinstalled, or it is another machine, or the connection is intercepted.',
    next: [showHostKeys(endpoint), shell(remove, { say: 'only if it is the right machine:' })],
  })
}

function hostKeyRevoked(endpoint: Endpoint, printed: string): ConvergeError {
  return new ConvergeError('CONNECT.HOST_KEY_REVOKED', {
    summary: 'the host key is revoked',
    why: `${endpoint.host} (${endpoint.at}) showed a revoked host key.${said(printed)}`,
    next: [replaceHostKeys(endpoint)],
  })
}

function loginRefused(endpoint: Endpoint, printed: string): ConvergeError {
  return new ConvergeError('CONNECT.AUTH_FAILED', {
    summary: 'the host did not accept the login',
    why: `${endpoint.host} (${endpoint.at}) refused the user's login.${said(printed)}`,
    next: [
      shell(`${endpoint.sshCommand.replace(/^ssh/, 'ssh -v')} true`, { note: 'shows which keys are offered' }),
      shell('ssh-add -l'),
    ],
  })
}

function badConfig(_endpoint: Endpoint, printed: string): ConvergeError {
  return new ConvergeError('CONNECT.SSH_CONFIG', {
    summary: 'the ssh config is unusable',
    why: `OpenSSH refused its own configuration.${said(printed)}`,
    next: [shell('ssh -G HOST')],
  })
}
