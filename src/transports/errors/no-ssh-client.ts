import { ConvergeError } from '../../errors/converge-error.ts'

/** @param why which of its programs is missed, and for what */
export function noSshClient(why: string): ConvergeError {
  return new ConvergeError('CONNECT.NO_SSH_CLIENT', {
    summary: 'OpenSSH is not installed here',
    why,
    next: ['sudo apt install openssh-client   # Debian, Ubuntu', 'sudo dnf install openssh-clients  # Fedora'],
  })
}
