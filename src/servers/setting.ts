/** A setting of a server's program that a field of the inventory stands for, under all its names. */
export interface Setting {
  /** The field's name in the inventory. */
  readonly field: string
  /** The spellings of its flag; `launch` uses the first, or the variable. */
  readonly flags: readonly [string, ...string[]]
  /** The variable that stands for it; a `*` in front stands for the prefix of the service. */
  readonly variable?: string
  /** Where its names are harmless beside the field, because the rules know them or the field overrides them. Absent: nowhere. */
  readonly harmless?: 'env' | 'everywhere'
  /** For flags without a value: the meaning of each. Absent: the next word is the value. */
  readonly switches?: Readonly<Record<string, boolean>>
  /** Whether each occurrence adds a value. Absent: the last one counts. */
  readonly adds?: true
  /** Whether the server is given it once only: who gives it two values may mean both. */
  readonly once?: true
  /** For an API key: what the value is. Such a setting has no value in the inventory. */
  readonly key?: 'key' | 'path'
  /** A value as the inventory has it. */
  readonly read: (value: string) => Reading
  /** Values that the field cannot have, but which may stay in `extra_args` or `env`, because no launch overrides them. Absent: none. */
  readonly keeps?: RegExp
  /** Whether every launch renders it, so that the default of the program never applies. */
  readonly always?: true
  /** What every build of the program uses without it. Absent: builds differ, or unknown. */
  readonly ownDefault?: string
}

/** A value of a field, or why the field cannot have it. */
export type Reading = { readonly value: unknown } | { readonly why: string }

/** The settings of a kind's program that fields stand for. */
export interface Settings {
  readonly settings: readonly Setting[]
  /** A flag as `settings` spell it, for a program that accepts further spellings. Absent: it accepts none. */
  readonly spelling?: (flag: string) => string
}

/** The setting that a flag sets, without `=value`; undefined: none of these. */
export function settingOfFlag({ settings, spelling }: Settings, flag: string): Setting | undefined {
  const spelt = spelling?.(flag) ?? flag
  return settings.find(({ flags }) => flags.includes(spelt))
}

/** The setting that a variable sets; undefined: none of these. `prefix` is that of the service; absent: any. */
export function settingOfVariable({ settings }: Settings, name: string, prefix?: string): Setting | undefined {
  return settings.find(({ variable }) => variable !== undefined && isVariable(variable, name, prefix))
}

/** The name of a setting's variable for a service with this prefix; undefined: it has none, or the prefix is unknown. */
export function variableOf({ variable }: Setting, prefix: string | undefined): string | undefined {
  if (variable === undefined || !variable.startsWith('*')) return variable
  return prefix === undefined ? undefined : `${prefix}${variable.slice(1)}`
}

function isVariable(variable: string, name: string, prefix: string | undefined): boolean {
  if (!variable.startsWith('*')) return variable === name
  const rest = variable.slice(1)
  return prefix === undefined
    ? name.endsWith(rest) && /^[A-Z][A-Z0-9_]*$/.test(name.slice(0, -rest.length))
    : name === prefix + rest
}
