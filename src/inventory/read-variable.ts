import { ConvergeError } from '../errors/converge-error.ts'
import { ownMember } from '../lib/own-member.ts'
import type { SecretContext } from './secret-context.ts'
import { nextFor } from './secret-reference.ts'

/** The value of an environment variable. @throws ConvergeError `SECRET.MISSING` */
export function readVariable(name: string, { env }: Pick<SecretContext, 'env'>): string {
  const value = ownMember(env, name)
  if (value !== undefined) return value
  throw new ConvergeError('SECRET.MISSING', {
    summary: 'A secret is missing where the inventory expects it.',
    why: `The environment variable ${name} is not set.`,
    next: nextFor({ env: name }),
  })
}
