import type { Context } from '../context/context.ts'
import { readVariable } from '../inventory/read-variable.ts'
import { describeReference, emptySecret } from '../inventory/secret-reference.ts'
import { StandIn } from '../model/secret.ts'
import type { SecretResolver } from './keys.ts'

/**
 * Resolves no secret: a plan from a facts snapshot does not depend on a key's value. It only checks whether a variable is set, because an
 * untrusted inventory can name any variable of the job, and a short value is easily guessed from a digest in a report.
 */
export function standIns({ env }: Pick<Context, 'env'>): SecretResolver {
  return async (reference) => {
    if ('env' in reference && readVariable(reference.env, { env }) === '') throw emptySecret(reference)
    return new StandIn(describeReference(reference))
  }
}
