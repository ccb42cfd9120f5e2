import { Command } from '@commander-js/extra-typings'
import { expect, test } from 'vitest'
import { verbs } from '../../src/cli/verbs/index.ts'

/** `schedule` takes the whole command line of another verb, and its options with it; the inventories of the demo and of `init` are their own. */
const others = ['schedule', 'demo', 'init']

test.each(Object.keys(verbs).filter((name) => !others.includes(name)))(
  '%s, which reads an inventory, has an option for an untrusted one',
  async (name) => {
    const { verb } = (await verbs[name]?.load()) ?? {}
    const command = new Command(name)
    verb?.configure(command, () => Promise.resolve())
    const flags = command.options.map(({ long }) => long)
    expect(flags.includes('--no-secret-commands')).toBe(flags.includes('--inventory'))
  },
)
