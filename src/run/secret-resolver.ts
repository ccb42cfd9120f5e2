import type { Context } from '../context/context.ts'
import type { SecretContext } from '../inventory/secret-context.ts'
import { secretNotAsked } from '../inventory/secret-reference.ts'
import { stableJson } from '../lib/stable-json.ts'
import { resolveSecret } from '../load/resolve-secret.ts'
import type { Secret } from '../model/secret.ts'
import type { SecretResolver } from './keys.ts'

/** @param isClosed the inventory may be untrusted: only read the environment */
export function createSecretResolver(context: Context, { isClosed }: { readonly isClosed: boolean }): SecretResolver {
  const asked = new Map<string, Promise<Secret>>()
  return (reference) => {
    const id = stableJson(reference)
    const earlier = asked.get(id)
    if (earlier !== undefined) return earlier
    const answer =
      isClosed && !('env' in reference)
        ? Promise.reject<Secret>(secretNotAsked(reference))
        : resolveSecret(reference, secretContext(context)).then((secret) => {
            context.redactor.learn(secret)
            return secret
          })
    asked.set(id, answer)
    return answer
  }
}

function secretContext({ env, cwd, home, signal, stdin, err }: Context): SecretContext {
  return { env, cwd, home, signal, terminal: stdin.isTTY, warn: (text) => err.writeProse(`${text}\n`) }
}
