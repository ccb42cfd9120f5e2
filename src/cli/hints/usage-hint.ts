import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings'
import { optionHint } from './option-hint.ts'
import { wordHint } from './word-hint.ts'

/** What to do about a command line that commander rejected. @param code and message are commander's, which quotes the word */
export function usageHint(
  { code, message }: { readonly code: string; readonly message: string },
  program: Command,
  argv: readonly string[],
): readonly string[] {
  const [, quoted = ''] = message.split("'")
  const [called] = argv.flatMap((word) => program.commands.find((one) => one.name() === word) ?? [])
  switch (code) {
    case 'commander.unknownCommand':
      return wordHint(
        quoted,
        program.commands.map((one) => one.name()),
      )
    case 'commander.excessArguments':
      return called !== undefined && optionsOf(called).includes('--limit') ? [selectHint] : []
    case 'commander.unknownOption':
      if (called?.name() === 'schedule' && !argv.includes('--')) return [scheduleHint]
      return optionHint(quoted, optionsOf(called ?? program))
    default:
      return []
  }
}

const selectHint = '`--limit PATTERN` selects hosts, `--service GLOB` selects services.'

const scheduleHint =
  'The command to schedule stands after --, with its options: converge schedule cron --every 1h -- drift --changed'

function optionsOf(command: CommandUnknownOpts | Command): readonly string[] {
  return command.options.flatMap(({ long }) => long ?? [])
}
