import { lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ConvergeError } from '../errors/converge-error.ts'
import { UnreadableFile } from '../inventory/unreadable-file.ts'
import { digestOf } from '../lib/digest.ts'
import { parseObject } from '../lib/json-object.ts'
import { shell } from '../lib/next-command.ts'
import { shellQuote } from '../lib/shell-quote.ts'
import { readOwnFile } from '../load/read-regular-file.ts'
import { notWritten, writeWhole } from '../state/write-whole.ts'

export interface WrittenSchema {
  readonly name: string
  readonly path: string
  readonly outcome: 'written' | 'replaced' | 'unchanged'
}

type Schema = Readonly<Record<string, unknown>>

/** Hidden, because Ansible reads every other JSON file of an inventory as a part of it. */
export const schemaFolder = '.schemas'

/**
 * Writes schemas into a folder. It replaces only what it wrote itself, unchanged since: an older version.
 *
 * @param schemas by name
 * @throws ConvergeError `USAGE.SCHEMA_FILE` before anything is written; `USAGE.OUTPUT_FILE`
 */
export async function writeSchemas(folder: string, schemas: Readonly<Record<string, Schema>>): Promise<readonly WrittenSchema[]> {
  // The inventory may come from someone else, and a link would lead out of it.
  const place = await lstat(folder).catch(() => undefined)
  if (place?.isDirectory() === false) throw notOurs(folder)
  const files = await Promise.all(
    Object.entries(schemas).map(async ([name, schema]) => {
      const path = join(folder, `${name}.schema.json`)
      const text = schemaText(schema)
      const found = await existing(path)
      if (found !== undefined && found !== text && !isOurs(found)) throw notOurs(path)
      const outcome = found === undefined ? 'written' : found === text ? 'unchanged' : 'replaced'
      return { name, path, text, outcome } as const
    }),
  )
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw notWritten(folder, error, 'Nothing was written.')
  })
  for (const { path, text, outcome } of files)
    if (outcome !== 'unchanged') await writeWhole(path, text, { consequence: 'The schema was not written.' })
  return files.map(({ name, path, outcome }) => ({ name, path, outcome }))
}

/** The text of the file, which a later `converge schema --write` may replace. */
export function schemaText(schema: Schema): string {
  return `${JSON.stringify(signed(schema), null, 2)}\n`
}

const mostBytes = 4 * 1024 * 1024

/** Undefined: there is none. A pipe, a link or a file that is unreadable was not written by converge. */
async function existing(path: string): Promise<string | undefined> {
  try {
    return await readOwnFile(path, mostBytes)
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw notOurs(path)
  }
}

const signature = 'Written by `converge schema --write`, which replaces it if it was not edited. sha256:'

function signed(schema: Schema): Schema {
  return { ...schema, $comment: `${signature} ${digestOf(schema)}` }
}

function isOurs(text: string): boolean {
  const { $comment: comment, ...schema } = parseObject(text) ?? {}
  return comment === signed(schema)['$comment']
}

function notOurs(path: string): ConvergeError {
  return new ConvergeError('USAGE.SCHEMA_FILE', {
    summary: 'A file was not written by converge, or was edited since. Nothing was written.',
    why: `${path} differs from what \`converge schema --write\` wrote there.`,
    next: [shell(shellQuote(['mv', path, `${path}.old`]), { say: 'Keep a copy, then run the command again:' })],
  })
}
