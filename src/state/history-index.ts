import { constants, lstat, open } from 'node:fs/promises'
import { join } from 'node:path'
import { ConvergeError } from '../errors/converge-error.ts'
import { UnreadableFile } from '../inventory/unreadable-file.ts'
import { isObject } from '../lib/json-object.ts'
import { readOwnFile } from '../load/read-regular-file.ts'
import type { HistoryLine } from '../model/kept-run.ts'
import { writeWhole } from './write-whole.ts'

/**
 * What `converge history` shows of each report, so that it need not read them: a line of JSON for each, with the file that it was made from. Any number
 * of runs may append at once. It is only a copy: a line counts as long as its report is the same file, and a missing or damaged one is made again.
 */
const fileName = 'index.ndjson'

/** Larger than the index of any history. */
const mostBytes = 64 * 1024 * 1024

/** A report's file, as far as it takes to notice that it was replaced or edited. */
export interface FileStamp {
  readonly size: number
  readonly written: number
  readonly changed: number
}

export interface IndexEntry extends FileStamp {
  readonly line: HistoryLine
}

/** The stamp of a file; of what is no file, one that no entry has. */
export async function stampOf(path: string): Promise<FileStamp> {
  const found = await lstat(path).catch(() => undefined)
  if (found?.isFile() !== true) return { size: -1, written: -1, changed: -1 }
  return { size: found.size, written: found.mtimeMs, changed: found.ctimeMs }
}

/** Whether an entry was made from the file with this stamp. */
export function isOf(entry: IndexEntry | undefined, stamp: FileStamp): entry is IndexEntry {
  if (entry === undefined || stamp.size < 0) return false
  return entry.size === stamp.size && entry.written === stamp.written && entry.changed === stamp.changed
}

/** The latest entry of each run, and the number of lines. Lines that cannot be read are left out. */
export async function readIndex(
  folder: string,
): Promise<{ readonly entries: ReadonlyMap<string, IndexEntry>; readonly lines: number }> {
  const lines = (await textIn(join(folder, fileName))).split('\n').filter((line) => line !== '')
  const entries = new Map<string, IndexEntry>()
  for (const line of lines) {
    const entry = parsed(line)
    if (entry !== undefined) entries.set(entry.line.run_id, entry)
  }
  return { entries, lines: lines.length }
}

async function textIn(path: string): Promise<string> {
  try {
    return await readOwnFile(path, mostBytes)
  } catch (error) {
    if (error instanceof UnreadableFile) return ''
    throw error
  }
}

function parsed(line: string): IndexEntry | undefined {
  try {
    const entry: unknown = JSON.parse(line)
    return isEntry(entry) ? entry : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function isEntry(value: unknown): value is IndexEntry {
  if (!isObject(value) || !isObject(value['line'])) return false
  const { run_id: id, verb, at, inventory, owner = '', exit_code: exit, hosts, headline, tone = '' } = value['line']
  const texts = [id, verb, at, inventory, owner, headline, tone, ...(Array.isArray(hosts) ? hosts : [undefined])]
  const numbers = [exit, value['size'], value['written'], value['changed']]
  return texts.every((text) => typeof text === 'string') && numbers.every((one) => typeof one === 'number')
}

/** Appends in one write, so that no other run's line is split. Failures are ignored: the report is read instead. */
export async function addToIndex(folder: string, entries: readonly IndexEntry[]): Promise<void> {
  if (entries.length === 0) return
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  try {
    const file = await open(join(folder, fileName), O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0o600)
    try {
      // A line that was cut off before it ends here.
      if ((await file.stat()).isFile()) await file.write(`\n${textOf(entries)}`)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}

/** Replaces the index. A line that another run appends meanwhile may be lost, and is made again. Failures are ignored. */
export async function rewriteIndex(folder: string, entries: readonly IndexEntry[]): Promise<void> {
  try {
    await writeWhole(join(folder, fileName), textOf(entries), { mode: 0o600 })
  } catch (error) {
    if (!(error instanceof ConvergeError)) throw error
  }
}

function textOf(entries: readonly IndexEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
}
