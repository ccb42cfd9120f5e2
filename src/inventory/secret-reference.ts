import { ConvergeError } from '../errors/converge-error.ts'
import { shell } from '../lib/next-command.ts'
import { shellQuote } from '../lib/shell-quote.ts'
import type { SecretReference } from '../model/fleet.ts'
import type { NextStep } from '../model/next-step.ts'

/** For messages; names the place and never holds the secret. */
export function describeReference(reference: SecretReference): string {
  if ('env' in reference) return `environment variable ${reference.env}`
  if ('file' in reference) return `file ${reference.file}`
  if ('command' in reference) return `output of \`${shellQuote(reference.command)}\``
  return '`!vault` value'
}

export function emptySecret(reference: SecretReference): ConvergeError {
  return new ConvergeError('SECRET.EMPTY', {
    summary: 'A secret is empty.',
    why: `The ${describeReference(reference)} holds nothing. An empty key would leave the server open to everyone.`,
    next: nextFor(reference),
  })
}

/** Where nothing of the inventory may run or be read: a command, a file or a vault value, and whatever is given to a host. */
export function secretNotAsked(reference: SecretReference): ConvergeError {
  return new ConvergeError('SECRET.NOT_ASKED', {
    summary: 'A secret was not read.',
    why: `The ${describeReference(reference)} is unknown: with --no-secret-commands no command of the inventory is run, no file with a secret is read, and no host is given a password.`,
    next: [
      'Call it without --no-secret-commands where you trust who wrote the inventory.',
      'api_key: { env: NAME } is read all the same.',
    ],
  })
}

/** What gives such a secret. */
export function nextFor(reference: SecretReference): readonly NextStep[] {
  if ('env' in reference) return [shell(`read -rs ${reference.env} && export ${reference.env}`)]
  if ('file' in reference) return [shell(`(umask 077; cat > ${shellQuote([reference.file])})`)]
  if ('command' in reference) return [shellQuote(reference.command)]
  return [shell('ansible-vault encrypt_string --stdin-name api_key')]
}
