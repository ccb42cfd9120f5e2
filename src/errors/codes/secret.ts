import type { CatalogueEntry } from './entry.ts'

export const secretCodes = {
  'SECRET.MISSING': {
    exit: 4,
    title: 'a secret is not where the inventory says',
    explain:
      'The inventory names an environment variable that is not set, or a file that does not exist. Without the key of a service, converge refuses to write or start that service (KEY.MISSING). It can still stop or remove it, and other services are not affected. Without its sudo password, a host counts as unreachable. Set the variable in the shell that runs converge, or create the file with mode 0600.',
  },
  'SECRET.UNREADABLE': {
    exit: 4,
    title: 'a secret cannot be read',
    explain:
      'The file with the secret exists, but converge cannot use it. You may not read it, it is not text, it is not a regular file, or it is larger than 16 KiB. No key is that large; a pipe could block converge, and a device has no end. A pipe that your shell makes for this run, as in `ANSIBLE_VAULT_PASSWORD_FILE=<(op read …)`, is read. Relative paths start at the folder of the inventory; `~/` is your home.',
  },
  'SECRET.NOT_ASKED': {
    exit: 4,
    title: 'a secret was not read',
    explain:
      'With `--no-secret-commands`, converge treats the inventory as untrusted. It runs no command from it, reads no key file and no vault password, and sends no sudo password to a host. Such secrets are unknown. Keys of services are still read from environment variables. If you trust the author of the inventory, omit the option.',
  },
  'SECRET.EMPTY': {
    exit: 4,
    title: 'a secret is empty',
    explain:
      'The inventory refers to a secret that exists but is empty. A server with an empty key would be open to everyone. converge therefore treats it as a mistake, never as a wish to have no key.',
  },
  'SECRET.COMMAND': {
    exit: 4,
    title: 'the command for a secret failed',
    explain:
      'converge ran the command on this machine, without a shell and without input. It was not found, ended with an error, took longer than a minute, or printed more than 16 KiB. On a timeout and on an interrupt, converge also ends all processes that the command started. Its output is never shown, because it may contain the secret. Run the command yourself to see its output; it must print the secret and nothing else.',
  },
  'SECRET.VAULT_PASSWORD': {
    exit: 4,
    title: 'no password for a `!vault` value',
    explain:
      'converge decrypts a `!vault` value with the password in the file that $ANSIBLE_VAULT_PASSWORD_FILE names. If the file is executable, converge runs it and reads the password from its output, as Ansible does.',
  },
  'SECRET.VAULT': {
    exit: 4,
    title: 'a `!vault` value cannot be decrypted',
    explain:
      'The password is wrong, or the block is damaged. The block must be exactly as `ansible-vault encrypt_string` printed it, line by line.',
  },
} as const satisfies Record<string, CatalogueEntry>
