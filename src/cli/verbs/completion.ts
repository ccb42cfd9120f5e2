import { Argument } from '@commander-js/extra-typings'
import { exitCodes } from '../../context/exit-code.ts'
import { shells } from '../completion/shells/index.ts'
import type { Verb } from '../verb.ts'

/** `converge completion SHELL`: the script that makes a shell complete `converge`. */
export const verb: Verb = {
  configure(command, finish) {
    command
      .addArgument(new Argument('<shell>', 'the shell to print the script for').choices(Object.keys(shells)))
      .action((name) =>
        finish(async ({ out }) => {
          out.write(shells[name]?.script ?? '')
          return exitCodes.done
        }),
      )
  },
}
