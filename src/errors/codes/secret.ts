import type { CatalogueEntry } from './entry.ts'

export const secretCodes = {
  'SECRET.MISSING': {
    exit: 4,
    title: 'a secret is not where the inventory says',
    explain:
      'The inventory names an environment variable that is not set or a file that is not there. Without the key a server can neither be described nor compared, so its host is left alone. Set the variable in the shell that runs converge, or put the file in place with mode 0600.',
  },
  'SECRET.UNREADABLE': {
    exit: 4,
    title: 'a secret cannot be read',
    explain:
      'The file with the secret is there, but it is not permitted to you, is not text, is no regular file (a pipe would be waited for, a device has no end), or is larger than 16 KiB, which no key is. A pipe that your shell makes for this run, as in `ANSIBLE_VAULT_PASSWORD_FILE=<(op read …)`, is read. Relative paths count from the folder of the inventory; `~/` is your home.',
  },
  'SECRET.NOT_ASKED': {
    exit: 4,
    title: 'a secret was not asked for',
    explain:
      'With `--no-secret-commands` the inventory is taken for one that may come from somebody else: no command of it is run, no file with a key and no vault password is read, and no host is given a password for sudo. What comes from there counts as unknown. Keys of services are read from environment variables all the same; call it without that option where you trust who wrote the inventory.',
  },
  'SECRET.EMPTY': {
    exit: 4,
    title: 'a secret is empty',
    explain:
      'What the inventory refers to exists and holds nothing. A server with an empty key would be open to everyone, so converge takes it for a mistake and never for the wish to have no key.',
  },
  'SECRET.COMMAND': {
    exit: 4,
    title: 'the command for a secret failed',
    explain:
      'The command was run on this machine without a shell and without input, and it could not be found, ended with an error, took longer than a minute, or printed more than 16 KiB. At the end of its time, and at an interrupt, all that it started is ended with it. Its output is never shown, because it may hold the secret. Run the command yourself to see what it says; it must print the secret and nothing else.',
  },
  'SECRET.VAULT_PASSWORD': {
    exit: 4,
    title: 'there is no password for a `!vault` value',
    explain:
      'A `!vault` value is opened with the password in the file that $ANSIBLE_VAULT_PASSWORD_FILE names; an executable file is run and prints it, as with Ansible.',
  },
  'SECRET.VAULT': {
    exit: 4,
    title: 'a `!vault` value cannot be opened',
    explain:
      'The password does not fit, or the block is damaged: it must be there as `ansible-vault encrypt_string` printed it, line by line.',
  },
} as const satisfies Record<string, CatalogueEntry>
