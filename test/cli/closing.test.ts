import { Command } from '@commander-js/extra-typings'
import { expect, test } from 'vitest'
import { verbs } from '../../src/cli/verbs/index.ts'

/** These take the whole command line of another verb, and its options with it; the demo's inventory is its own. */
const others = ['schedule', 'demo']

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
