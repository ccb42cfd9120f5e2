import { ConvergeError } from '../../errors/converge-error.ts'
import { shell } from '../../lib/next-command.ts'

/** @param why which of its programs is missing, and what for */
export function noSshClient(why: string): ConvergeError {
  return new ConvergeError('CONNECT.NO_SSH_CLIENT', {
    summary: 'OpenSSH is not installed here',
    why,
    next: [
      shell('sudo apt install openssh-client', { note: 'Debian, Ubuntu' }),
      shell('sudo dnf install openssh-clients', { note: 'Fedora' }),
    ],
  })
}
