import { type Command, InvalidArgumentError, Option, type OptionValues } from '@commander-js/extra-typings'
import { fromEnvironment } from '../inventory/asked-shard.ts'
import { defined } from '../lib/defined.ts'
import { basicFormats, type FormatName, reports } from '../report/index.ts'
import { type Destination, isReport } from '../run/deliver.ts'
import { duration } from './duration.ts'
import { offering } from './offered-values.ts'
import { groups } from './option-groups.ts'

/** How plans are shown. */
export function withSteps<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command.optionsGroup(groups.output).option('--steps', 'show every command and file that apply sends')
}

/** Which inventory. */
export function withInventory<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return withClosing(
    command
      .optionsGroup(groups.selection)
      .option(
        '-i, --inventory <path>',
        'inventory directory or file (default: $CONVERGE_INVENTORY, or the only one in inventories/)',
      ),
  )
}

/** Whether the inventory is trusted; every verb that reads one takes it. */
export function withClosing<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command
    .optionsGroup(groups.safety)
    .option(
      '--no-secret-commands',
      'for an untrusted inventory: run none of its commands, read no file with an API key or password, follow no symlink that leaves it',
    )
}

/** Which inventory, hosts and services; every verb that reads an inventory for many hosts takes these. */
export function withSelection<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return withInventory(command)
    .optionsGroup(groups.selection)
    .option('-l, --limit <pattern>', "only these hosts, such as nas, 'macs:&small' or @failed (see `converge help patterns`)")
    .option('-s, --service <glob>', 'only services whose name matches (repeatable)', collect)
}

/** As `withSelection`, for verbs whose hosts several processes can share. */
export function withShards<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return withSelection(command)
    .addOption(
      new Option(
        '--shard <I/N>',
        'only part I of N of these hosts, by a hash of their names; `auto`: as the CI or batch system numbers this job (the default inside of one); `none`: all',
      )
        .argParser(offering((text: string) => text, { values: ['auto', 'none'] }))
        .default(fromEnvironment, fromEnvironment),
    )
    .option('--run-id <id>', 'with --shard: an id that all shards of one run share (default: $CONVERGE_SHARD_RUN_ID)')
}

/**
 * How the result is shown, where reports are made of it.
 *
 * @param pages whether the help says how a page is written again and again; a schedule of any verb adds that option
 */
export function withReports<A extends unknown[], O extends OptionValues>(command: Command<A, O>, { pages = false } = {}) {
  const refresh = new Option(
    '--refresh <duration>',
    'html: the page is written again at this interval; it reloads itself and shows its age',
  )
  return withOutput(command, [...basicFormats, ...Object.keys(reports).filter(isReport)]).addOption(
    refresh.argParser(refreshInterval).hideHelp(!pages),
  )
}

/** How the result is shown. */
export function withOutput<A extends unknown[], O extends OptionValues>(
  command: Command<A, O>,
  formats: readonly FormatName[] = basicFormats,
) {
  return withDisplay(
    command
      .optionsGroup(groups.output)
      .option('--json', 'print one JSON document to stdout and nothing else')
      .option(
        '--format <FORMAT[=FILE]>',
        formats === basicFormats
          ? 'text or json, to stdout or FILE (repeatable)'
          : `${listed(formats)}, to stdout or FILE (repeatable)`,
        destinationOf(formats),
      ),
  )
}

/** How anything is shown. */
export function withDisplay<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command
    .optionsGroup(groups.output)
    .option('--no-color', 'disable colours (as does NO_COLOR)')
    .option('-q, --quiet', 'hide progress on stderr')
    .option('-v, --verbose', 'also show unchanged services, and new definitions in full')
}

/** How hosts are reached. */
export function withHosts<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command
    .optionsGroup(groups.connection)
    .option('--forks <n>', 'number of hosts to work on at a time', wholeNumber, 32)
    .option('--timeout <seconds>', 'time limit for gathering the facts of a host', seconds, 60)
    .option('--ssh-config <file>', 'read this file instead of ~/.ssh/config')
}

/** Files that stand in for the hosts. */
export function withFactsSnapshot<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command
    .optionsGroup(groups.facts)
    .option('--facts <dir>', 'contact no host; use the facts snapshots that `converge facts --out DIR` wrote')
    .option(
      '--facts-max-age <duration>',
      'with --facts: treat a host as unreachable if its snapshot is older than this, such as 24h',
      duration,
    )
    .option(
      '--run-secret-commands',
      'with --facts: run the commands of the inventory that supply keys; only for an inventory you trust (default: not run)',
    )
}

/** Who hears of a run, while it happens and of what came of it, and how that is shown. */
export function withReporting<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return withReports(withNotify(withEvents(command)))
}

/** What is asked before anything is done, and for how long another run is waited for. */
export function withActing<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return withConfirm(command, '; overrules no refusal').option(
    '--lock-timeout <duration>',
    'wait up to this long (such as 2m) for another run to finish',
    duration,
  )
}

/** What is asked before anything is done. */
export function withConfirm<A extends unknown[], O extends OptionValues>(command: Command<A, O>, scope = '') {
  return command
    .optionsGroup(groups.safety)
    .addOption(
      new Option('-y, --yes', `answer the prompt with yes (alias: --confirm)${scope}; required without a terminal`).implies({
        confirm: true,
      }),
    )
    .addOption(new Option('--confirm').hideHelp())
}

interface ActingOptions {
  readonly confirm?: true | undefined
  readonly lockTimeout?: number | undefined
}

/** What these options say. */
export function actingOf({ confirm, lockTimeout }: ActingOptions) {
  return { confirmed: confirm === true, ...defined({ lockTimeoutMs: lockTimeout }) }
}

/** What happens, while it happens. */
function withEvents<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command
    .optionsGroup(groups.output)
    .option('--events <FILE|fd>', 'write each event, as it happens, to a file or descriptor: one JSON object per line')
}

/** Whether a run sends notifications. */
export function withNotify<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command.optionsGroup(groups.output).option('--no-notify', 'send no notifications now; the next run sends them')
}

/** For options that may be given several times. */
export const collect = offering((value: string, previous: string[] | undefined): string[] => [...(previous ?? []), value], {
  isRepeatable: true,
})

function destinationOf(formats: readonly FormatName[]) {
  const read = (text: string, previous: Destination[] | undefined): Destination[] => {
    const [name = '', ...rest] = text.split('=')
    const file = rest.join('=')
    const format = formats.find((one) => one === name)
    if (format === undefined) throw new InvalidArgumentError(`The formats here are ${listed(formats)}.`)
    if (text.includes('=') && file === '') throw new InvalidArgumentError('After = comes the name of a file.')
    return [...(previous ?? []), { format, ...(file === '' ? {} : { file }) }]
  }
  return offering(read, { values: formats, isRepeatable: true })
}

/** `text, json or html`. */
function listed(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

/** From 1 on. */
export function wholeNumber(text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('It has to be a whole number above 0.')
  return number
}

function refreshInterval(text: string): number {
  const ms = duration(text)
  if (ms < 1000) throw new InvalidArgumentError('It has to be a second at least.')
  return ms
}

function seconds(text: string): number {
  const number = Number(text)
  if (!Number.isFinite(number) || number <= 0 || number > 86_400)
    throw new InvalidArgumentError('It has to be a number of seconds above 0, a day at most.')
  return number
}
