import { access, constants } from 'node:fs/promises'
import { ConvergeError } from '../errors/converge-error.ts'
import type { SecretContext } from '../inventory/secret-context.ts'
import { shell } from '../lib/next-command.ts'
import { ownMember } from '../lib/own-member.ts'
import { expandHome, readSecretFile } from './read-secret-file.ts'
import { runSecretCommand } from './run-secret-command.ts'

const variable = 'ANSIBLE_VAULT_PASSWORD_FILE'

/** As in Ansible: the file's text, or its output if it is executable; surrounding white space is ignored. */
export async function readVaultPassword(context: SecretContext): Promise<string> {
  const path = ownMember(context.env, variable)
  if (path === undefined || path === '') throw noPassword(`$${variable} is not set.`)
  const full = expandHome(path, context)
  const text = (await isExecutable(full)) ? await runSecretCommand([full], context) : await readSecretFile(path, context)
  const password = text.trim()
  if (password === '') throw noPassword(`$${variable} points to ${path}, which is empty.`)
  return password
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function noPassword(reason: string): ConvergeError {
  return new ConvergeError('SECRET.VAULT_PASSWORD', {
    summary: 'No password for a `!vault` value was given.',
    why: `The inventory contains a value encrypted with ansible-vault. ${reason}`,
    next: [shell(`export ${variable}=~/.vault-password`)],
  })
}
