import { assertNever } from '../errors/assert-never.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { ownMember } from '../lib/own-member.ts'
import { shellQuote } from '../lib/shell-quote.ts'
import type { SecretReference } from '../model/fleet.ts'
import { Secret } from '../model/secret.ts'
import { describeFile, readSecretFile } from './read-secret-file.ts'
import { runSecretCommand } from './run-secret-command.ts'
import type { SecretContext } from './secret-context.ts'
import { readVaultPassword } from './vault-password.ts'

/**
 * A reference → the secret, never stored and never shown. One line end at its end is left out. Throws a `SECRET.*` that names the
 * reference: for a file that is not there, a command that fails, an empty value …
 */
export async function resolveSecret(reference: SecretReference, context: SecretContext): Promise<Secret> {
  const origin = describeReference(reference)
  const value = withoutLineEnd(await read(reference, context))
  if (value !== '') return new Secret(value, origin)
  throw new ConvergeError('SECRET.EMPTY', {
    summary: 'A secret is empty.',
    why: `The ${origin} holds nothing. An empty key would leave the server open to everyone.`,
    next: nextFor(reference),
  })
}

async function read(reference: SecretReference, context: SecretContext): Promise<string> {
  if ('env' in reference) return readVariable(reference.env, context)
  if ('file' in reference) return readSecretFile(reference.file, context)
  if ('command' in reference) return runSecretCommand(reference.command, context)
  if ('vault' in reference) return openVault(reference.vault, context)
  return assertNever(reference)
}

function readVariable(name: string, { env }: SecretContext): string {
  const value = ownMember(env, name)
  if (value !== undefined) return value
  throw new ConvergeError('SECRET.MISSING', {
    summary: 'A secret is not where the inventory says.',
    why: `The environment variable ${name} is not set in the shell that runs converge.`,
    next: nextFor({ env: name }),
  })
}

async function openVault(block: string, context: SecretContext): Promise<string> {
  const { Vault } = await import('ansible-vault')
  const password = await readVaultPassword(context)
  try {
    const value = await new Vault({ password }).decrypt(block, undefined)
    if (value !== undefined) return value
  } catch {
    // The library's own words name neither the block nor the reason.
  }
  throw new ConvergeError('SECRET.VAULT', {
    summary: 'A `!vault` value cannot be opened.',
    why: 'The password that $ANSIBLE_VAULT_PASSWORD_FILE leads to does not fit, or the block in the inventory is damaged.',
    next: ['ansible-vault encrypt_string --stdin-name api_key', 'export ANSIBLE_VAULT_PASSWORD_FILE=~/.vault-password'],
  })
}

/** For messages; names the place and never holds the secret. */
function describeReference(reference: SecretReference): string {
  if ('env' in reference) return `environment variable ${reference.env}`
  if ('file' in reference) return describeFile(reference.file)
  if ('command' in reference) return `output of \`${shellQuote(reference.command)}\``
  return '`!vault` value'
}

function nextFor(reference: SecretReference): readonly string[] {
  if ('env' in reference) return [`read -rs ${reference.env} && export ${reference.env}`]
  if ('file' in reference) return [`(umask 077; cat > ${shellQuote([reference.file])})`]
  if ('command' in reference) return [shellQuote(reference.command)]
  return ['ansible-vault encrypt_string --stdin-name api_key']
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/u, '')
}
