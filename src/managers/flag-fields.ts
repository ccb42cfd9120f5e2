/** Flat fields of a definition or a process: `command.--ctx-size` → `65536`. Keys show as `***`. */
export type Fields = Readonly<Record<string, string>>

/**
 * An argument list flag by flag, so that two lists compare independently of their order: a flag maps to its value (an empty text for a
 * switch; repeated values are joined), other words are numbered by position.
 */
export function flagFields(prefix: string, args: readonly string[]): Fields {
  const fields: Record<string, string> = {}
  let flag: string | undefined
  let words = 0
  for (const arg of args) {
    const inOne = /^(--[a-z][^=]*)=(.*)$/is.exec(arg)
    const name = inOne?.[1] ?? (/^--?[a-z]/i.test(arg) ? arg : flag)
    const value = inOne?.[2] ?? (name === arg ? '' : arg)
    const field = name === undefined ? `${prefix}.${words++}` : `${prefix}.${name}`
    fields[field] = fields[field] === undefined || fields[field] === '' ? value : `${fields[field]} ${value}`
    flag = name === arg ? name : undefined
  }
  return fields
}
