import type { ServerKindName } from '../model/names.ts'
import { serverKinds } from './index.ts'
import { settingOfFlag, settingOfVariable } from './setting.ts'

/**
 * One name for every spelling of a setting that a service has a field for: the flag that `launch` uses, for `-c`, `--ctx_size` and
 * `LLAMA_ARG_CTX_SIZE` the same. Unknown names stay as they are, and so does a flag with the opposite meaning (`--no-jinja`).
 *
 * @param name a flag without `=value`, or a variable
 */
export function canonicalSetting(kind: ServerKindName, name: string): string {
  const { fields } = serverKinds[kind]
  const flag = fields.spelling?.(name) ?? name
  const setting = settingOfFlag(fields, name) ?? settingOfVariable(fields, name)
  if (setting === undefined) return name
  const { flags, switches } = setting
  const meaning = switches?.[flag]
  return meaning === undefined ? flags[0] : (flags.find((one) => switches?.[one] === meaning) ?? name)
}

/**
 * The value that the program itself uses if a flag is missing; undefined: none, or builds differ. The environment may set it: a container's
 * image often does.
 *
 * @param flag in its canonical spelling
 */
export function ownDefault(kind: ServerKindName, flag: string): string | undefined {
  return serverKinds[kind].fields.settings.find(({ flags: [first] }) => first === flag)?.ownDefault
}
