/** Where this run found its inventory and its way to the hosts, as far as the command line said so. */
export interface GivenOptions {
  readonly inventory?: string
  readonly sshConfig?: string
}

/** Read before the command line is parsed, because what is wrong with it may be told with a command as well. */
export function givenOptions(argv: readonly string[]): GivenOptions {
  const inventory = valueOf(argv, ['-i', '--inventory'])
  const sshConfig = valueOf(argv, ['--ssh-config'])
  return { ...(inventory === undefined ? {} : { inventory }), ...(sshConfig === undefined ? {} : { sshConfig }) }
}

/** The last one wins, as everywhere. */
function valueOf(argv: readonly string[], names: readonly string[]): string | undefined {
  const values = argv.flatMap((word, index) => {
    const name = names.find((one) => word === one || word.startsWith(one.startsWith('--') ? `${one}=` : one))
    if (name === undefined) return []
    const attached = word.slice(name.length).replace(/^=/, '')
    return word === name ? argv.slice(index + 1, index + 2) : [attached]
  })
  return values.at(-1)
}
