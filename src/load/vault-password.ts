import { access, constants } from 'node:fs/promises'
import { ConvergeError } from '../errors/converge-error.ts'
import type { SecretContext } from '../inventory/secret-context.ts'
import { shell } from '../lib/next-command.ts'
import { ownMember } from '../lib/own-member.ts'
import { expandHome, readSecretFile } from './read-secret-file.ts'
import { runSecretCommand } from './run-secret-command.ts'

const variable = 'ANSIBLE_VAULT_PASSWORD_FILE'

/** As with Ansible: the file's text, or what it prints when it can be executed; white space around it does not count. */
export async function readVaultPassword(context: SecretContext): Promise<string> {
  const path = ownMember(context.env, variable)
  if (path === undefined || path === '') throw noPassword(`$${variable} is not set.`)
  const full = expandHome(path, context)
  const text = (await isExecutable(full)) ? await runSecretCommand([full], context) : await readSecretFile(path, context)
  const password = text.trim()
  if (password === '') throw noPassword(`$${variable} leads to ${path}, which gives nothing.`)
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
    why: `The inventory holds a value that ansible-vault encrypted. ${reason}`,
    next: [shell(`export ${variable}=~/.vault-password`)],
  })
}
