import { ConvergeError } from '../../errors/converge-error.ts'
import { shell } from '../../lib/next-command.ts'
import { noSudoMarker } from '../remote/remote-command.ts'
import type { Endpoint } from './endpoint.ts'
import { said } from './session-errors.ts'

/** Derives an error from the output of sudo; undefined: the failure was not sudo's. */
export function sudoRefusal(endpoint: Endpoint, user: string, printed: string): ConvergeError | undefined {
  if (printed.includes(noSudoMarker)) return sudoMissing(endpoint, user)
  // Messages of sudo 1.8 to 1.9 and of sudo-rs in the C locale.
  if (/password is required|authentication is required/i.test(printed)) return sudoPasswordNeeded(endpoint, user)
  if (/must have a tty|terminal is required|requires? a (tty|terminal)/i.test(printed)) return sudoTty(endpoint, printed)
  if (/try again|incorrect password|incorrect authentication/i.test(printed)) return sudoWrongPassword(endpoint, user)
  if (/^sudo: |not in the sudoers|is not allowed to|may not run sudo|i'm afraid i can't do that/im.test(printed))
    return sudoDenied(endpoint, user, printed)
  return undefined
}

export function sudoDenied(endpoint: Endpoint, user: string, printed: string): ConvergeError {
  return new ConvergeError('CONNECT.SUDO_DENIED', {
    summary: 'sudo refused',
    why: `sudo on ${endpoint.host} does not allow the login user to run /bin/sh as ${user}.${said(printed)}`,
    next: [
      shell(`${endpoint.sshCommand} sudo -n -l`),
      shell('visudo -f /etc/sudoers.d/converge', { say: `on ${endpoint.host}:` }),
    ],
  })
}

export function sudoWrongPassword(endpoint: Endpoint, user: string): ConvergeError {
  return new ConvergeError('CONNECT.SUDO_WRONG_PASSWORD', {
    summary: 'sudo did not accept the password',
    why: `sudo on ${endpoint.host} did not accept the password for becoming ${user}. This run does not try it again.`,
    next: [`check ansible_become_password of ${endpoint.host}`, shell(`${endpoint.sshCommand} -t sudo -k -v`)],
  })
}

function sudoMissing(endpoint: Endpoint, user: string): ConvergeError {
  return new ConvergeError('CONNECT.SUDO_MISSING', {
    summary: 'sudo is not installed on the host',
    why: `The inventory runs commands on ${endpoint.host} as ${user}, which is not the login user, and ${endpoint.host} has no sudo.`,
    next: [
      `set ansible_user: ${user} for ${endpoint.host}`,
      `set ansible_become: false for ${endpoint.host}`,
      `on ${endpoint.host}: install sudo`,
    ],
  })
}

function sudoPasswordNeeded(endpoint: Endpoint, user: string): ConvergeError {
  return new ConvergeError('CONNECT.SUDO_PASSWORD_NEEDED', {
    summary: 'sudo asks for a password',
    why: `sudo on ${endpoint.host} requires a password to run commands as ${user}, and the inventory has none.`,
    next: [
      `set ansible_become_password for ${endpoint.host}, for example { env: CONVERGE_SUDO }`,
      shell(`echo 'USER ALL=(ALL) NOPASSWD: ALL' | sudo tee /etc/sudoers.d/converge`, { say: `or on ${endpoint.host}:` }),
    ],
  })
}

function sudoTty(endpoint: Endpoint, printed: string): ConvergeError {
  return new ConvergeError('CONNECT.SUDO_TTY', {
    summary: 'sudo insists on a terminal',
    why: `The sudo rules of ${endpoint.host} require a terminal.${said(printed)}`,
    next: [shell(`echo 'Defaults:USER !requiretty' | sudo tee /etc/sudoers.d/converge-no-tty`, { say: `on ${endpoint.host}:` })],
  })
}
