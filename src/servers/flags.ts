import type { Launch } from '../model/launch.ts'

/**
 * The flags of a launch, without duplicates and values: what the program's help must list. A negative number is a value, not a flag.
 */
export function flagsOf(launch: Launch): readonly string[] {
  const words = launch.args.filter((arg) => typeof arg === 'string')
  const flags = words.filter((word) => /^--?[a-z]/i.test(word)).map((word) => word.replace(/=.*$/s, ''))
  return [...new Set(flags)]
}
