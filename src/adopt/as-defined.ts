import { nameIn, wordIn } from '../managers/one-by-setting.ts'
import type { FieldChange } from '../model/action.ts'
import type { ServerKindName } from '../model/names.ts'
import type { StartedServer } from '../servers/read-back.ts'
import { canonicalSetting } from '../servers/same-setting.ts'

/**
 * A server as its definition would start it: as it was started, with the settings that the definition has since.
 *
 * @param stale where the definition differs, `from` its value. What is no flag or variable with one plain value stays as it was started.
 */
export function asDefined(started: StartedServer, stale: readonly FieldChange[], kind: ServerKindName): StartedServer {
  return stale.filter(isPlain).reduce((server, change) => withSetting(server, change, kind), started)
}

/** A value with blanks may be that of a flag that is repeated; of a secret it is not known. */
function isPlain({ from, ...change }: FieldChange): boolean {
  return /^(command\.-|environment\.)/.test(nameIn(change)) && (from === null || !/\s|\*\*\*/.test(from))
}

function withSetting(server: StartedServer, change: FieldChange, kind: ServerKindName): StartedServer {
  const { from } = change
  const name = wordIn(change)
  if (nameIn(change).startsWith('command.'))
    return {
      ...server,
      argv: [...withoutFlag(server.argv, name, kind), ...(from === null ? [] : from === '' ? [name] : [name, from])],
    }
  if (server.env === undefined) return server
  const { [name]: _, ...env } = server.env
  return { ...server, env: from === null ? env : { ...env, [name]: from } }
}

/** Without a flag, in any spelling, and the words after it. */
function withoutFlag(argv: readonly string[], flag: string, kind: ServerKindName): readonly string[] {
  const setting = canonicalSetting(kind, flag)
  let isDropped = false
  return argv.filter((word) => {
    const [, name] = /^(--?[a-z][^=]*)/i.exec(word) ?? []
    if (name !== undefined) isDropped = canonicalSetting(kind, name) === setting
    return !isDropped
  })
}
