import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Context } from '../../context/context.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import type { NewFiles } from '../../inventory/create/new-inventory.ts'
import { converge } from '../../lib/next-command.ts'
import { placeForNew } from '../../load/default-inventory.ts'
import type { FileEdit } from '../../model/file-edit.ts'
import { notWritten } from '../../state/write-whole.ts'

/**
 * The folder for a new inventory, as people write it: the one that is given, else one that the next commands find.
 *
 * @throws ConvergeError `INVENTORY.EXISTS` if there is something already
 */
export async function placeOfNew(context: Context, given: string | undefined): Promise<string> {
  const { path, others } = given === undefined ? await placeForNew(context) : { path: given, others: [] }
  const [first] = others
  if (first !== undefined) throw exists(context, first, others.length === 1 ? [] : ['-i', first])
  if (!(await isFree(resolve(context.cwd, path)))) throw exists(context, path, given === undefined ? [] : ['-i', given])
  return path
}

/** Whether there is nothing, or an empty folder; hidden files do not count. */
async function isFree(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).every((name) => name.startsWith('.') && name !== '.schemas')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return true
    if (code === 'ENOTDIR') return false
    throw notWritten(folder, error, 'Nothing was written.')
  }
}

function exists({ argv }: Context, path: string, where: readonly string[]): ConvergeError {
  return new ConvergeError('INVENTORY.EXISTS', {
    summary: 'There is an inventory already.',
    why: `${path} exists and is not empty. \`converge init\` never changes what is there. No host was contacted.`,
    next: [
      converge(['adopt', ...where], { say: 'To add servers that already run to it:' }),
      converge([...withoutPlace(argv), '-i'], { say: 'To write another inventory:', fillIn: 'FOLDER' }),
    ],
  })
}

/** The command line without `-i`. */
function withoutPlace(argv: readonly string[]): readonly string[] {
  return argv.filter((word, index) => {
    const [before = ''] = argv.slice(Math.max(index - 1, 0), index)
    return !/^(?:-i|--inventory(?:=.*)?)$/.test(word) && !/^(?:-i|--inventory)$/.test(before)
  })
}

/** Edits that create the files: hosts.yaml last, because without it a folder is no inventory. */
export function editsFor({ cwd }: Pick<Context, 'cwd'>, place: string, files: NewFiles): readonly FileEdit[] {
  const { 'hosts.yaml': hosts, ...others } = files
  const all = [...Object.entries(others), ...(hosts === undefined ? [] : [['hosts.yaml', hosts] as const])]
  return all.map(([path, after]) => ({ file: join(resolve(cwd, place), path), before: null, after }))
}
