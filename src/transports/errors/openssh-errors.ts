import { ConvergeError } from '../../errors/converge-error.ts'
import { shell } from '../../lib/next-command.ts'
import { replaceHostKeys, showHostKeys } from './host-key-commands.ts'
import { closedEarly, connectFailed, handshakeFailed, proxyFailed, timedOut } from './network-errors.ts'
import type { Place } from './place.ts'
import { said } from './session-errors.ts'

/** Makes an error of what `ssh` printed before it ended with 255. The words are OpenSSH's own, which it does not translate. */
export function opensshFailed(place: Place, printed: string): ConvergeError {
  const found = causes.find(([pattern]) => pattern.test(printed))
  return found === undefined ? connectFailed(place, new Error(printed.trim())) : found[1](place, printed.trim())
}

type Cause = readonly [RegExp, (place: Place, printed: string) => ConvergeError]

const causes: readonly Cause[] = [
  [/REMOTE HOST IDENTIFICATION HAS CHANGED|Offending .* key/, hostKeyChanged],
  [/REVOKED HOST KEY|is marked as revoked/i, hostKeyRevoked],
  [/Host key verification failed|host key is known for/, hostKeyUnknown],
  [/Permission denied \(|Too many authentication failures/, loginRefused],
  [/Bad configuration option|Can't open user config|bad configuration options|Bad owner or permissions/i, badConfig],
  [/Could not resolve hostname/, (place, printed) => connectFailed(place, withCode(printed, 'ENOTFOUND'))],
  [/stdio forwarding failed|proxy/i, (place, printed) => proxyFailed(place, 'its proxy', printed)],
  [/Connection refused/, (place, printed) => connectFailed(place, withCode(printed, 'ECONNREFUSED'))],
  [/timed out/i, (place) => timedOut(place, undefined, 'ssh to connect')],
  [/Unable to negotiate|no matching/, handshakeFailed],
  [/Connection (closed|reset)|kex_exchange_identification|Broken pipe/, closedEarly],
]

function withCode(printed: string, code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(printed), { code })
}

function hostKeyUnknown(place: Place, printed: string): ConvergeError {
  return new ConvergeError('CONNECT.HOST_KEY_UNKNOWN', {
    summary: 'the host key is unknown',
    why: `ssh knows no key for ${place.host} (${place.at}).${said(printed)}`,
    next: [showHostKeys(place), shell(`${place.sshCommand} true`, { say: 'then:', note: 'compare, and answer yes' })],
  })
}

function hostKeyChanged(place: Place, printed: string): ConvergeError {
  const shown = /SHA256:\S+/.exec(printed)?.[0].replace(/\.$/, '') ?? 'another key'
  const offending = /Offending .* key in (.+):(\d+)/.exec(printed)
  const remove = /ssh-keygen -f .*/.exec(printed)?.[0] ?? 'ssh-keygen -R HOST'
  return new ConvergeError('CONNECT.HOST_KEY_CHANGED', {
    summary: 'the host key has changed',
    why:
      `${place.host} (${place.at}) showed ${shown}, and ${offending === null ? 'a known-hosts file' : `${offending[1]}:${offending[2]}`} knows another key. ` +
      'The machine was installed anew, or it is another machine, or somebody sits in between.',
    next: [showHostKeys(place), shell(remove, { say: 'only when it is the right machine:' })],
  })
}

function hostKeyRevoked(place: Place, printed: string): ConvergeError {
  return new ConvergeError('CONNECT.HOST_KEY_REVOKED', {
    summary: 'the host key is revoked',
    why: `${place.host} (${place.at}) showed a host key that must not be trusted any more.${said(printed)}`,
    next: [replaceHostKeys(place)],
  })
}

function loginRefused(place: Place, printed: string): ConvergeError {
  return new ConvergeError('CONNECT.AUTH_FAILED', {
    summary: 'the host did not accept the login',
    why: `${place.host} (${place.at}) did not let the user in.${said(printed)}`,
    next: [
      shell(`${place.sshCommand.replace(/^ssh/, 'ssh -v')} true`, { note: 'shows which keys are offered' }),
      shell('ssh-add -l'),
    ],
  })
}

function badConfig(_place: Place, printed: string): ConvergeError {
  return new ConvergeError('CONNECT.SSH_CONFIG', {
    summary: 'the ssh config is unusable',
    why: `OpenSSH refused its own configuration.${said(printed)}`,
    next: [shell('ssh -G HOST')],
  })
}
