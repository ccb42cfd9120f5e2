import { mkdir, writeFile } from 'node:fs/promises'
import { verbs } from '../../../src/cli/verbs/index.ts'
import { exitCodes } from '../../../src/context/exit-code.ts'
import { exitCodeWords } from '../../../src/context/exit-code-words.ts'
import { version, versionDate } from '../../../src/context/version.ts'
import { argumentName, type Command, commandCalled, examplesOf, givenTable, usageOf, wholeProgram } from '../commands-page.ts'
import { variablesRead, variablesSet, variablesTable } from '../environment-page.ts'
import { code, codeBlock, prose, table } from '../markdown.ts'
import { inventoryReference } from '../reference.ts'
import { type ManPage, renderManPage } from './roff.ts'

/** The manual pages by the names of their files: `converge.1`, one for each verb, `converge-inventory.5`. */
export async function manPages(): Promise<ReadonlyMap<string, string>> {
  const program = await wholeProgram()
  const pages = [
    mainPage(program),
    ...Object.keys(verbs).map((name) => verbPage(name, commandCalled(program, name))),
    await inventoryPage(),
  ]
  return new Map(
    pages.map((page) => [`${page.name}.${page.section}`, renderManPage(page, { version, date: versionDate })] as const),
  )
}

/** @param folder made if it is missing */
export async function writeManPages(folder: URL): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [name, content] of await manPages()) await writeFile(new URL(name, folder), content)
}

/** Kept by hand: what of the files on this machine a person may look for. `docs/files.md` has those on hosts too. */
const files: Readonly<Record<string, string>> = {
  'inventories/': 'The only folder in it is the inventory, if neither `-i` nor `$CONVERGE_INVENTORY` names one.',
  '~/.local/state/converge': 'Journals, reports, locks and schedules. On macOS below `~/Library/Application Support/converge`.',
  '~/.cache/converge': 'Compiled code, which may be deleted at any time.',
  '~/.ssh/config': 'Read by way of `ssh -G`, with the known hosts and the agent that it names.',
}

function mainPage(program: Awaited<ReturnType<typeof wholeProgram>>): ManPage {
  const groups = Map.groupBy(Object.entries(verbs), ([, { group }]) => group)
  const codes = Object.entries(exitCodeWords).map(([name, words]) => ({ name, words }))
  const numbers: Readonly<Record<string, number>> = exitCodes
  return {
    name: 'converge',
    section: 1,
    summary: 'reconcile local language-model servers with an inventory, over SSH',
    blocks: [
      '## SYNOPSIS',
      codeBlock('converge <command> [options]\nconverge help <command|topic>', 'text'),
      '## DESCRIPTION',
      'converge compares an inventory with the model servers that run on its hosts. It plans the changes, refuses unsafe ones with a reason, applies the rest and tests the result.',
      'Each command has a page of its own, such as `converge-plan(1)`. `converge-inventory(5)` describes the inventory.',
      '## COMMANDS',
      ...[...groups].flatMap(([group, entries]) => [
        `### ${group}`,
        table(
          ['Command', 'What it does'],
          entries.map(([name, { summary }]) => [code(name), prose(summary)]),
        ),
      ]),
      '## OPTIONS',
      givenTable('Option', [...program.options], ({ flags }) => flags),
      '## EXIT STATUS',
      table(
        ['Code', 'Meaning'],
        codes.map(({ name, words }) => [code(String(numbers[name])), prose(words.explain)]),
      ),
      '## ENVIRONMENT',
      variablesTable(variablesRead),
      'converge sets:',
      variablesTable(variablesSet),
      '## FILES',
      table(
        ['File', 'Meaning'],
        Object.entries(files).map(([name, words]) => [code(name), prose(words)]),
      ),
      '## SEE ALSO',
      seeAlso(
        Object.keys(verbs).map((name) => `converge-${name}(1)`),
        'converge-inventory(5)',
        'ssh(1)',
        'ssh_config(5)',
      ),
    ],
  }
}

function verbPage(name: string, command: Command): ManPage {
  const entry = verbs[name]
  if (entry === undefined) throw new Error(`there is no command ${name}`)
  const values = command.registeredArguments
  const options = command.options.filter(({ hidden }) => !hidden)
  const groups = Map.groupBy(options, ({ helpGroupHeading: heading }) => heading ?? '')
  return {
    name: `converge-${name}`,
    section: 1,
    summary: entry.summary,
    blocks: [
      '## SYNOPSIS',
      codeBlock(usageOf(name, command), 'text'),
      ...(entry.note === undefined ? [] : ['## DESCRIPTION', ...noteBlocks(entry.note)]),
      ...(values.length === 0 ? [] : ['## ARGUMENTS', givenTable('Argument', values, argumentName)]),
      '## OPTIONS',
      ...[...groups].flatMap(([heading, own]) => [
        ...(heading === '' ? [] : [`### ${heading.replace(/:$/, '')}`]),
        givenTable('Option', own, ({ flags }) => flags),
      ]),
      '### Help',
      table(['Option', 'What it does'], [[code('-h, --help'), 'show help']]),
      '## EXIT STATUS',
      '0 if it did everything; `converge(1)` lists the other codes.',
      '## EXAMPLES',
      codeBlock(examplesOf(entry)),
      '## SEE ALSO',
      seeAlso([], 'converge(1)', 'converge-inventory(5)'),
    ],
  }
}

/** Lines that are moved to the right are to be copied. */
function noteBlocks(note: string): readonly string[] {
  return note
    .split(/\n(?= {2})|(?<=\n {2}.*)\n(?! )/)
    .map((part) => (part.startsWith('  ') ? codeBlock(part.replaceAll(/^ {2}/gm, '')) : prose(part)))
}

async function inventoryPage(): Promise<ManPage> {
  const { blocks } = await inventoryReference()
  // The list of its parts leads nowhere on paper.
  const kept = blocks.slice(1).filter((block) => !block.trimStart().startsWith('- ['))
  return {
    name: 'converge-inventory',
    section: 5,
    summary: 'inventory and playbooks of converge',
    blocks: [
      '## DESCRIPTION',
      'An inventory is a YAML file or a folder that Ansible reads as well: `hosts.yaml`, `group_vars/` and `host_vars/`. `converge schema inventory` prints its JSON schema.',
      ...kept,
      '## SEE ALSO',
      seeAlso([], 'converge(1)', 'converge-validate(1)', 'converge-schema(1)'),
    ],
  }
}

function seeAlso(more: readonly string[], ...pages: readonly string[]): string {
  return [...more, ...pages].map(code).join(', ')
}
