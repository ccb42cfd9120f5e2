import { Command } from '@commander-js/extra-typings'
import { version } from '../context/version.ts'
import { columnsOf, wrapProse } from '../context/wrap-prose.ts'
import type { GivenOptions } from '../model/given-options.ts'
import { givenOptions } from './read-given.ts'
import type { Finish, Work } from './verb.ts'
import { verbs } from './verbs/index.ts'

const intro = `Brings local language-model servers to the state an inventory asks for, over
SSH: shows what it would do, refuses what is unsafe and says why, does the rest,
and proves that it works.`

const outro = `
Start with:
  converge validate                 is the inventory right?
  converge plan                     what would be done? nothing is touched
  converge apply --limit nas        do it on one host

Exit codes:
    0  done, or nothing to do         7  the saved plan is stale
    1  a bug in converge              8  another run holds the lock
    2  changes pending, or drift     64  wrong usage
    3  something was refused         65  invalid inventory or playbook
    4  a host was not reachable     130  interrupted, or not confirmed
    5  a step failed
    6  applied, but not proved

An error or refusal has a code; \`converge explain CODE\` says what it means and
what to do.`

/** Verbs whose argument is a file that says what the run is about. */
const withFile: ReadonlySet<string> = new Set(['plan', 'apply'])

/**
 * The command line. Only the verb that is called is loaded; the others are a name and a line of help.
 * @param run does the work of the verb that was called; gets what its command line said besides
 */
export async function createProgram(
  argv: readonly string[],
  run: (work: Work, given: GivenOptions) => Promise<void>,
): Promise<Command> {
  const program = new Command('converge')
    .description(intro)
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [verb]', 'print help for a verb')
    .addHelpText('after', outro)
    .showSuggestionAfterError(true)
    .showHelpAfterError('`converge --help` lists the verbs; `converge VERB --help` what one takes.')
    .configureOutput({ outputError: (text, write) => write(wrapProse(text, columnsOf(process.stderr))) })
    .exitOverride()
  let given: GivenOptions = {}
  program.hook('preAction', async (_, command) => {
    const [file] = withFile.has(command.name()) ? command.args : []
    given = await givenOptions(command.opts(), file)
  })
  const finish: Finish = (work) => run(work, given)
  const called = new Set(argv)
  for (const [name, entry] of Object.entries(verbs)) {
    const command = program.command(name).description(entry.summary).exitOverride()
    if (called.has(name)) (await entry.load()).verb.configure(command, finish)
  }
  return program
}
