import { type Argument, Command, Help, type OutputConfiguration } from '@commander-js/extra-typings'
import { exitCodeTable } from '../context/exit-code-words.ts'
import { version } from '../context/version.ts'
import { columnsOf, wrapProse } from '../context/wrap-prose.ts'
import { sentence } from '../lib/sentence.ts'
import type { GivenOptions } from '../model/given-options.ts'
import { groups } from './option-groups.ts'
import { givenOptions } from './read-given.ts'
import { topics } from './topics/index.ts'
import type { Finish, RunVerb, VerbEntry } from './verb.ts'
import { verbs } from './verbs/index.ts'

const intro = `Reconciles local language-model servers with an inventory, over SSH. It plans
changes, refuses unsafe ones with a reason, applies the rest and tests the result.

Examples:
  converge init nas op@box      write a first inventory of two hosts
  converge plan                 show pending changes; nothing is touched
  converge apply --limit nas    make the changes on one host`

const topicWidth = Math.max(...Object.keys(topics).map((name) => name.length))

const outro = `
Topics (converge help TOPIC):
${Object.entries(topics)
  .map(([name, { summary }]) => `  ${name.padEnd(topicWidth)}  ${summary}`)
  .join('\n')}

Exit codes:
${exitCodeTable()}

Every error and refusal has a code; \`converge explain CODE\` explains it.`

/** Verbs whose argument is a file that says what the run is about. */
const withFile: ReadonlySet<string> = new Set(['plan', 'apply'])

type Streams = Readonly<Record<'stdout' | 'stderr', NodeJS.WriteStream>>

/**
 * The command line. Only the verb that is called is loaded; the others are a name and a line of help.
 * @param run runs the called verb; receives the options of its command line
 * @param streams for help and usage errors
 */
export async function createProgram(
  argv: readonly string[],
  run: (runVerb: RunVerb, given: GivenOptions) => Promise<void>,
  streams: Streams = process,
): Promise<Command> {
  const program = new Command('converge')
    .description(intro)
    .version(version, '-V, --version', 'show the version; with --json also the build and how it is installed')
    .helpOption('-h, --help', 'show help')
    .configureHelp({ subcommandTerm: (command) => command.name(), argumentDescription })
    .addHelpText('after', outro)
    .showSuggestionAfterError(false)
    .configureOutput(outputTo(streams))
    .exitOverride()
  let given: GivenOptions = {}
  program.hook('preAction', async (_, command) => {
    const [file] = withFile.has(command.name()) ? command.args : []
    given = await givenOptions(command.opts(), file)
  })
  const finish: Finish = (runVerb) => run(runVerb, given)
  const called = new Set(argv)
  for (const [name, entry] of Object.entries(verbs)) {
    const command = program
      .command(name)
      .summary(entry.summary)
      .description(descriptionOf(entry))
      .helpGroup(`${entry.group}:`)
      .optionsGroup(groups.output)
      .helpOption('-h, --help', 'show help')
      .optionsGroup('')
      .exitOverride()
    if (called.has(name)) (await entry.load()).verb.configure(command, finish)
  }
  return program
}

function outputTo({ stdout, stderr }: Streams): OutputConfiguration {
  return {
    writeOut: (text) => stdout.write(text),
    writeErr: (text) => stderr.write(text),
    getOutHelpWidth: () => columnsOf(stdout) ?? 80,
    getErrHelpWidth: () => columnsOf(stderr) ?? 80,
    outputError: (text, write) => write(wrapProse(text, columnsOf(stderr))),
  }
}

/** With the possible values, unless the words explain each. */
function argumentDescription(this: Help, argument: Argument): string {
  const { argChoices = [], description } = argument
  return argChoices.every((choice) => description.includes(choice))
    ? description
    : Help.prototype.argumentDescription.call(this, argument)
}

function descriptionOf({ summary, note, examples }: VerbEntry): string {
  const width = Math.max(...examples.map(([line]) => line.length))
  const rows = examples.map(([line, words]) => `  converge ${line.padEnd(width)}    ${words}`)
  return [sentence(summary), ...(note === undefined ? [] : [note]), '', 'Examples:', ...rows].join('\n')
}
