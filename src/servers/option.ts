/**
 * The value of an option among a server's arguments; the last one counts, as for the programs themselves.
 *
 * @param names every spelling: `--cache-ram`, `-cram`
 * @returns undefined where it is not given; an empty string where it stands at the end without a value
 */
export function lastOption(args: readonly string[], names: readonly string[]): string | undefined {
  return args.reduce<string | undefined>((found, arg, index) => {
    if (names.includes(arg)) return args[index + 1] ?? ''
    const name = names.find((candidate) => candidate.startsWith('--') && arg.startsWith(`${candidate}=`))
    return name === undefined ? found : arg.slice(name.length + 1)
  }, undefined)
}
