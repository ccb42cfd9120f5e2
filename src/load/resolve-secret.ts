import { assertNever } from '../errors/assert-never.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { readVariable } from '../inventory/read-variable.ts'
import type { SecretContext } from '../inventory/secret-context.ts'
import { describeReference, emptySecret } from '../inventory/secret-reference.ts'
import { shell } from '../lib/next-command.ts'
import type { SecretReference } from '../model/fleet.ts'
import { Secret } from '../model/secret.ts'
import { readSecretFile } from './read-secret-file.ts'
import { runSecretCommand } from './run-secret-command.ts'
import { readVaultPassword } from './vault-password.ts'

/**
 * Resolves a reference to its secret, which is never stored or shown. One trailing line break is removed. Throws a `SECRET.*` that names the
 * reference: for a missing file, a failing command, an empty value …
 */
export async function resolveSecret(reference: SecretReference, context: SecretContext): Promise<Secret> {
  const origin = describeReference(reference)
  const value = withoutLineEnd(await read(reference, context))
  if (value === '') throw emptySecret(reference)
  return new Secret(value, origin)
}

async function read(reference: SecretReference, context: SecretContext): Promise<string> {
  if ('env' in reference) return readVariable(reference.env, context)
  if ('file' in reference) return readSecretFile(reference.file, context)
  if ('command' in reference) return runSecretCommand(reference.command, context)
  if ('vault' in reference) return openVault(reference.vault, context)
  return assertNever(reference)
}

async function openVault(block: string, context: SecretContext): Promise<string> {
  const { Vault } = await import('ansible-vault')
  const password = await readVaultPassword(context)
  try {
    const value = await new Vault({ password }).decrypt(block, undefined)
    if (value !== undefined) return value
  } catch {
    // The library's own message names neither the block nor the reason.
  }
  throw new ConvergeError('SECRET.VAULT', {
    summary: 'A `!vault` value cannot be opened.',
    why: 'The password from $ANSIBLE_VAULT_PASSWORD_FILE is wrong, or the block in the inventory is damaged.',
    next: [
      shell('ansible-vault encrypt_string --stdin-name api_key'),
      shell('export ANSIBLE_VAULT_PASSWORD_FILE=~/.vault-password'),
    ],
  })
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/u, '')
}
