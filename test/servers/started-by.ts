import type { Launch } from '../../src/model/launch.ts'
import type { Secret } from '../../src/model/secret.ts'
import type { StartedServer } from '../../src/servers/read-back.ts'

/** The server as it runs after a launch, with hidden keys. */
export function startedBy({ program, args, env, secretEnv }: Launch): StartedServer {
  const all = Object.entries({ ...env, ...secretEnv }).map(([variable, value]) => [variable, shown(value)])
  return { argv: [...program, ...args.map(shown)], env: Object.fromEntries(all), ownEnv: true }
}

function shown(value: string | Secret): string {
  return typeof value === 'string' ? value : '***'
}
