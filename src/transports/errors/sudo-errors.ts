import { ConvergeError } from '../../errors/converge-error.ts'
import { shell } from '../../lib/next-command.ts'
import { noSudoMark } from '../remote/remote-command.ts'
import type { Place } from './place.ts'
import { said } from './session-errors.ts'

/** Makes an error of what sudo printed instead of starting a shell; undefined: it was not sudo's doing. */
export function sudoRefusal(place: Place, user: string, printed: string): ConvergeError | undefined {
  if (printed.includes(noSudoMark)) return sudoMissing(place, user)
  // The words of sudo 1.8 to 1.9 and of sudo-rs, in the C locale.
  if (/password is required|authentication is required/i.test(printed)) return sudoPasswordNeeded(place, user)
  if (/must have a tty|terminal is required|requires? a (tty|terminal)/i.test(printed)) return sudoTty(place, printed)
  if (/try again|incorrect password|incorrect authentication/i.test(printed)) return sudoWrongPassword(place, user)
  if (/^sudo: |not in the sudoers|is not allowed to|may not run sudo|i'm afraid i can't do that/im.test(printed))
    return sudoDenied(place, user, printed)
  return undefined
}

export function sudoDenied(place: Place, user: string, printed: string): ConvergeError {
  return new ConvergeError('CONNECT.SUDO_DENIED', {
    summary: 'sudo refused',
    why: `sudo on ${place.host} does not let the login user run /bin/sh as ${user}.${said(printed)}`,
    next: [shell(`${place.sshCommand} sudo -n -l`), shell('visudo -f /etc/sudoers.d/converge', { say: `on ${place.host}:` })],
  })
}

export function sudoWrongPassword(place: Place, user: string): ConvergeError {
  return new ConvergeError('CONNECT.SUDO_WRONG_PASSWORD', {
    summary: 'sudo did not accept the password',
    why: `sudo on ${place.host} did not accept the password for becoming ${user}. It was tried once and will not be tried again in this run.`,
    next: [`check what ansible_become_password of ${place.host} refers to`, shell(`${place.sshCommand} -t sudo -k -v`)],
  })
}

function sudoMissing(place: Place, user: string): ConvergeError {
  return new ConvergeError('CONNECT.SUDO_MISSING', {
    summary: 'sudo is not installed on the host',
    why: `The inventory says that commands on ${place.host} run as ${user}, who is not the login user, and ${place.host} has no sudo.`,
    next: [
      `set ansible_user: ${user} for ${place.host}`,
      `set ansible_become: false for ${place.host}`,
      `on ${place.host}: install sudo`,
    ],
  })
}

function sudoPasswordNeeded(place: Place, user: string): ConvergeError {
  return new ConvergeError('CONNECT.SUDO_PASSWORD_NEEDED', {
    summary: 'sudo asks for a password',
    why: `sudo on ${place.host} wants a password to run commands as ${user}, and the inventory names none.`,
    next: [
      `set ansible_become_password for ${place.host}, for example { env: CONVERGE_SUDO }`,
      shell(`echo 'USER ALL=(ALL) NOPASSWD: ALL' | sudo tee /etc/sudoers.d/converge`, { say: `or on ${place.host}:` }),
    ],
  })
}

function sudoTty(place: Place, printed: string): ConvergeError {
  return new ConvergeError('CONNECT.SUDO_TTY', {
    summary: 'sudo insists on a terminal',
    why: `The sudo rules of ${place.host} demand a terminal.${said(printed)}`,
    next: [shell(`echo 'Defaults:USER !requiretty' | sudo tee /etc/sudoers.d/converge-no-tty`, { say: `on ${place.host}:` })],
  })
}
