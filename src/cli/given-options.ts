/** Where this run found its inventory and its way to the hosts, as far as the command line said so. */
export interface GivenOptions {
  readonly inventory?: string
  readonly sshConfig?: string
}

/** @param options of the verb that was called, as commander read them; not every verb has these. */
export function givenOptions({ inventory, sshConfig }: Readonly<Record<string, unknown>>): GivenOptions {
  return {
    ...(typeof inventory === 'string' ? { inventory } : {}),
    ...(typeof sshConfig === 'string' ? { sshConfig } : {}),
  }
}
