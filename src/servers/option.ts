/**
 * The value of an option in a server's arguments; the last one counts, as in the programs themselves.
 *
 * @param names every spelling: `--cache-ram`, `-cram`
 * @returns undefined if missing; an empty string if it is last and has no value
 */
export function lastOption(args: readonly string[], names: readonly string[]): string | undefined {
  return args.reduce<string | undefined>((found, arg, index) => {
    if (names.includes(arg)) return args[index + 1] ?? ''
    const name = names.find((candidate) => candidate.startsWith('--') && arg.startsWith(`${candidate}=`))
    return name === undefined ? found : arg.slice(name.length + 1)
  }, undefined)
}
