import { createProgram } from '../../src/cli/program.ts'
import type { VerbEntry } from '../../src/cli/verb.ts'
import { verbs } from '../../src/cli/verbs/index.ts'
import { sentence } from '../../src/lib/sentence.ts'
import { anchor, code, codeBlock, type Page, prose, table } from './markdown.ts'

type Program = Awaited<ReturnType<typeof createProgram>>
export type Command = Program['commands'][number]
type Given = Command['options'][number] | Command['registeredArguments'][number]

/** Taken from what the command line itself is parsed with. */
export async function commandsPage(): Promise<Page> {
  const program = await wholeProgram()
  const groups = Map.groupBy(Object.entries(verbs), ([, { group }]) => group)
  return {
    title: 'Commands',
    about: 'Every command of `converge` with its arguments and options; each also takes `-h` and `--help`.',
    blocks: [...groups].flatMap(([group, entries]) => [
      `## ${group}`,
      table(
        ['Command', 'What it does'],
        entries.map(([name, { summary }]) => [`[${code(name)}](${anchor(`converge ${name}`)})`, prose(sentence(summary))]),
      ),
      ...entries.flatMap(([name, entry]) => commandBlocks(name, entry, commandCalled(program, name))),
    ]),
  }
}

/** With the options of all its commands. */
export function wholeProgram(): Promise<Program> {
  return createProgram(Object.keys(verbs), async () => {})
}

export function commandCalled({ commands }: Program, name: string): Command {
  const found = commands.find((command) => command.name() === name)
  if (found === undefined) throw new Error(`the program has no command ${name}`)
  return found
}

function commandBlocks(name: string, entry: VerbEntry, command: Command): readonly string[] {
  const values = command.registeredArguments
  const options = command.options.filter(({ hidden }) => !hidden)
  return [
    `### converge ${name}`,
    prose(sentence(entry.summary)),
    codeBlock(usageOf(name, command), 'text'),
    'Examples:',
    codeBlock(examplesOf(entry)),
    ...(values.length === 0 ? [] : [givenTable('Argument', values, (value) => argumentName(value))]),
    ...(options.length === 0 ? [] : [givenTable('Option', options, ({ flags }) => flags)]),
  ]
}

/** Some commands have several forms, one a line. */
export function usageOf(name: string, command: Command): string {
  return `converge ${name} ${command.usage()}`
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
}

export function examplesOf({ examples }: VerbEntry): string {
  const width = Math.max(...examples.map(([line]) => line.length))
  return examples.map(([line, words]) => `converge ${line.padEnd(width)}   # ${words}`).join('\n')
}

export function argumentName(value: Command['registeredArguments'][number]): string {
  const name = `${value.name()}${value.variadic ? '...' : ''}`
  return value.required ? `<${name}>` : `[${name}]`
}

/** Defaults have a column of their own where one of the rows has one. */
export function givenTable<T extends Given>(head: string, given: readonly T[], nameOf: (one: T) => string): string {
  const rows = given.map((one) => {
    const { description, usual } = wordsOf(one)
    return [code(nameOf(one)), prose(description), usual]
  })
  const hasDefaults = rows.some(([, , usual]) => usual !== '')
  return hasDefaults
    ? table([head, 'What it does', 'Default'], rows)
    : table(
        [head, 'What it does'],
        rows.map((row) => row.slice(0, 2)),
      )
}

/** A default that the parser does not know is said in the description. */
function wordsOf(one: Given): { readonly description: string; readonly usual: string } {
  const [, before = one.description, said] = /^(.*?)\s*\(default: ([^()]*)\)$/.exec(one.description) ?? []
  const unsaid = (one.argChoices ?? []).some((choice) => !before.includes(choice))
  const choices = unsaid ? ` (one of ${one.argChoices?.map((choice) => code(choice)).join(', ')})` : ''
  const isNegated = 'negate' in one && one.negate
  const known: unknown = isNegated ? undefined : one.defaultValue
  return {
    description: `${before}${choices}`,
    usual: known === undefined ? prose(said ?? '') : code(typeof known === 'string' ? known : JSON.stringify(known)),
  }
}
