import { join } from 'node:path'
import { Argument } from '@commander-js/extra-typings'
import { published, written } from '../../../schemas/published.ts'
import type { Context } from '../../context/context.ts'
import { exitCodes } from '../../context/exit-code.ts'
import { defaultInventory } from '../../load/default-inventory.ts'
import { folderOf } from '../../load/load.ts'
import type { SelectionFlags } from '../../run/open-fleet.ts'
import { schemaFolder, writeSchemas } from '../../run/write-schemas.ts'
import { withInventory } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge schema [NAME]`: the published JSON schemas, printed or written into the folder of an inventory. */
export const verb: Verb = {
  configure(command, finish) {
    const own = command
      .addArgument(new Argument('[name]', 'the schema to print (default: list them)').choices(Object.keys(published)))
      .option('--write', `write the schemas into ${schemaFolder}/ of the inventory, and show how an editor finds them`)
    withInventory(own).action((name, { write = false, ...flags }) =>
      finish(async (context) => {
        if (write) await writeBeside(context, flags, name === undefined ? written : [name])
        else if (name === undefined) context.out.writeProse(list(context))
        else await context.out.writeJson(published[name])
        return exitCodes.done
      }),
    )
  },
}

function list({ out }: Context): string {
  const width = Math.max(...Object.keys(published).map((name) => name.length))
  const rows = Object.entries(published).map(
    ([name, { description }]) => `  ${name.padEnd(width)}  ${out.paint.hang}${description.replace(/(?<=\.) .*$/s, '')}\n`,
  )
  return rows.join('')
}

async function writeBeside(
  context: Context,
  { inventory, secretCommands }: SelectionFlags,
  names: readonly string[],
): Promise<void> {
  const folder = await folderOf(inventory ?? (await defaultInventory(context, { isClosed: secretCommands === false })))
  const chosen = Object.fromEntries(Object.entries(published).filter(([name]) => names.includes(name)))
  const files = await writeSchemas(join(folder, schemaFolder), chosen)
  const { out } = context
  for (const { path, outcome } of files) out.writeProse(`${outcome.padEnd(9)}  ${path}\n`)
  const comments = Object.entries(places).filter(([name]) => names.includes(name))
  if (comments.length === 0) return
  out.writeProse(`\n${advice}\n`)
  for (const [name, [where, up]] of comments)
    out.writeProse(
      `\n  ${where}\n  ${out.paint.whole(`# yaml-language-server: $schema=${up}${schemaFolder}/${name}.schema.json`)}\n`,
    )
}

const advice =
  'An editor with the YAML language server completes and checks a file that starts with one of these comments. converge adds none itself.'

/** By schema: in which files the comment stands, and how the folder is reached from there. */
const places: Readonly<Record<string, readonly [string, string]>> = {
  inventory: ['hosts.yaml', ''],
  'group-vars': ['group_vars/*.yaml and host_vars/*.yaml', '../'],
  playbook: ['a playbook; PATH is the folder of the inventory', 'PATH/'],
}
