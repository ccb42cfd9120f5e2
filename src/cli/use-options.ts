import type { Command } from '@commander-js/extra-typings'
import { withActing, withHosts, withInventory } from './options.ts'
import { withPlanning } from './planning-options.ts'
import { reasonHelp, until, untilHelp } from './until.ts'

/** Argument and options of `converge use`. */
export function withUseOptions(command: Command) {
  const own = command
    .argument('[profile]', 'a profile of the inventory (without one: list them, and show which one holds)')
    .option('-C, --check', 'plan only')
    .option('--until <time>', untilHelp('keep these states'), until)
  return withActing(withPlanning(withHosts(withInventory(own)), reasonHelp))
}
