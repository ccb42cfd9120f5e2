import { ConvergeError } from '../../errors/converge-error.ts'
import { converge, shell } from '../../lib/next-command.ts'
import type { Endpoint } from './endpoint.ts'

/** @param phase whether the script had started; before that, probably nothing happened. */
export function lostConnection(
  endpoint: Endpoint,
  label: string,
  phase: 'before' | 'during' | 'idle',
  detail: string,
): ConvergeError {
  const what = {
    before: `The connection to ${endpoint.host} broke before '${label}' started; whether any of it ran is unknown.`,
    during: `The connection to ${endpoint.host} broke while '${label}' was running. Its outcome is unknown: it may be done, half done, or still running.`,
    idle: `The connection to ${endpoint.host} was already gone before '${label}' was sent; nothing was sent.`,
  }[phase]
  return new ConvergeError('CONNECT.LOST', {
    summary: 'the connection was lost',
    why: `${what}${said(detail)}`,
    next: [converge(['plan'], { note: 'shows the current state of the host' }), shell(endpoint.sshCommand)],
  })
}

/** The timeout passed long ago without the script's end or a broken connection. */
export function noAnswer(endpoint: Endpoint, label: string, timeoutMs: number): ConvergeError {
  return new ConvergeError('CONNECT.LOST', {
    summary: 'the host stopped answering',
    why:
      `'${label}' did not end on ${endpoint.host} within ${Math.round(timeoutMs / 1000)} s, and the host does not answer. Its outcome is unknown. ` +
      'If the host still runs, its own timer ends the rest.',
    next: [converge(['plan'], { note: 'shows the current state of the host' }), shell(endpoint.sshCommand)],
  })
}

/** @param printed the output instead of the shell's start marker */
export function noShell(endpoint: Endpoint, printed: string, ending: string): ConvergeError {
  return new ConvergeError('CONNECT.SHELL', {
    summary: 'no shell could be started on the host',
    why: `The login at ${endpoint.at} worked, but /bin/sh on ${endpoint.host} ${ending}.${said(printed)}`,
    next: [shell(`${endpoint.sshCommand} /bin/sh -c true; echo $?`, { note: 'must print 0 and nothing else' })],
  })
}

/** Nothing at all was printed within the time for the start. */
export function slowShell(endpoint: Endpoint, label: string, ms: number): ConvergeError {
  return new ConvergeError('CONNECT.SLOW', {
    summary: 'the host is too slow to start a shell',
    why:
      `The login at ${endpoint.at} worked, but /bin/sh did not start within ${Math.round(ms / 1000)} s: '${label}' had not begun by then. ` +
      'The host may have too much to do, or start-up files of the account may never finish.',
    next: [
      shell(`${endpoint.sshCommand} /bin/sh -c uptime`, { note: 'must answer; shows the load of the host' }),
      converge(['plan', '--limit', endpoint.host, '--timeout', '300'], { note: 'waits longer' }),
      converge(['plan', '--forks', '4'], { note: 'if the hosts share one machine' }),
    ],
  })
}

export function channelRefused(endpoint: Endpoint, detail: string): ConvergeError {
  return new ConvergeError('CONNECT.CHANNEL_REFUSED', {
    summary: 'the SSH server refused a session',
    why: `${endpoint.host} accepted the login but refused to open a session for a command.${said(detail)}`,
    next: [
      shell('sshd -T | grep -i -e maxsessions -e forcecommand', { say: `on ${endpoint.host}:` }),
      shell(`${endpoint.sshCommand} true`),
    ],
  })
}

export function outputTooLarge(endpoint: Endpoint, label: string, limitBytes: number): ConvergeError {
  return new ConvergeError('CONNECT.OUTPUT_TOO_LARGE', {
    summary: 'a command printed too much',
    why: `'${label}' on ${endpoint.host} printed more than ${limitBytes / 1024} KiB and was killed.`,
    next: ['run the command on the host and check its output'],
  })
}

export function forwardRefused(endpoint: Endpoint, port: number, detail: string): ConvergeError {
  return new ConvergeError('CONNECT.FORWARD_REFUSED', {
    summary: "nothing listens on the host's port",
    why: `Nothing accepts connections on 127.0.0.1:${port} of ${endpoint.host}.${said(detail)}`,
    next: [converge(['status', '--limit', endpoint.host])],
  })
}

export function forwardProhibited(endpoint: Endpoint, port: number, detail: string): ConvergeError {
  return new ConvergeError('CONNECT.FORWARD_PROHIBITED', {
    summary: 'the SSH server forbids forwarding',
    why: `The SSH server of ${endpoint.host} does not allow this account to forward to 127.0.0.1:${port}.${said(detail)}`,
    next: [shell('sshd -T | grep -i -e allowtcpforwarding -e permitopen -e disableforwarding', { say: `on ${endpoint.host}:` })],
  })
}

/** The other side's own message, if any. */
export function said(text: string): string {
  const words = text.trim().split('\n').slice(-5).join(' / ').slice(0, 500)
  return words === '' ? '' : ` It said: ${words}`
}
