import { ConvergeError } from '../errors/converge-error.ts'
import { shell } from '../lib/next-command.ts'
import { shellQuote } from '../lib/shell-quote.ts'
import type { SecretReference } from '../model/fleet.ts'
import type { NextStep } from '../model/next-step.ts'

/** For messages: where the secret comes from, never the secret. */
export function describeReference(reference: SecretReference): string {
  if ('env' in reference) return `environment variable ${reference.env}`
  if ('file' in reference) return `file ${reference.file}`
  if ('command' in reference) return `output of \`${shellQuote(reference.command)}\``
  return '`!vault` value'
}

export function emptySecret(reference: SecretReference): ConvergeError {
  return new ConvergeError('SECRET.EMPTY', {
    summary: 'A secret is empty.',
    why: `The ${describeReference(reference)} is empty. An empty key would leave the server open to everyone.`,
    next: nextFor(reference),
  })
}

/** For an untrusted inventory, of which nothing may be run or read. */
export function secretNotAsked(reference: SecretReference): ConvergeError {
  return new ConvergeError('SECRET.NOT_ASKED', {
    summary: 'A secret was not read.',
    why: `The ${describeReference(reference)} is unknown. With --no-secret-commands, converge runs no command of the inventory, reads no secret file and sends no password to a host.`,
    next: ['Run without --no-secret-commands if you trust the inventory.', '`api_key: { env: NAME }` still works.'],
  })
}

/** How to provide such a secret. */
export function nextFor(reference: SecretReference): readonly NextStep[] {
  if ('env' in reference) return [shell(`read -rs ${reference.env} && export ${reference.env}`)]
  if ('file' in reference) return [shell(`(umask 077; cat > ${shellQuote([reference.file])})`)]
  if ('command' in reference) return [shellQuote(reference.command)]
  return [shell('ansible-vault encrypt_string --stdin-name api_key')]
}
