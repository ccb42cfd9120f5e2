import { lstat, mkdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ConvergeError } from '../../errors/converge-error.ts'
import { shell } from '../../lib/next-command.ts'
import { readOwnFile } from '../../load/read-regular-file.ts'
import { type EntryFile, markLine } from '../../schedulers/job.ts'
import { writeWhole } from '../../state/write-whole.ts'
import { scheduleFailed } from './schedule-failed.ts'

/** Larger than any file of an entry. */
const maxBytes = 1024 * 1024

/** The present files of an entry, all written by converge; undefined: no such file yet. */
export type FilesBefore = readonly { readonly path: string; readonly content: string | undefined }[]

/** @throws ConvergeError `SCHEDULE.FOREIGN` for a file without the mark of the entry */
export async function lookAtFiles(paths: readonly string[], name: string): Promise<FilesBefore> {
  return Promise.all(paths.map(async (path) => ({ path, content: await ownContent(path, name) })))
}

/** Writes each file atomically, with its mode. */
export async function writeFiles(files: readonly EntryFile[]): Promise<void> {
  for (const { path, content, mode } of files) {
    try {
      await mkdir(dirname(path), { recursive: true })
      await writeWhole(path, content, { mode })
    } catch (error) {
      throw scheduleFailed(error instanceof ConvergeError ? error.why : `${path}: ${wordsOf(error)}.`)
    }
  }
}

/** Restores the old content; modes are those of the new files. */
export async function restoreFiles(before: FilesBefore, files: readonly EntryFile[]): Promise<void> {
  for (const { path, content } of before) {
    const mode = files.find((file) => file.path === path)?.mode
    if (content === undefined) await rm(path, { force: true })
    else await writeWhole(path, content, { mode })
  }
}

/** @returns paths of the deleted files */
export async function deleteFiles(before: FilesBefore): Promise<readonly string[]> {
  const there = before.filter(({ content }) => content !== undefined).map(({ path }) => path)
  for (const path of there) await rm(path, { force: true })
  return there
}

async function ownContent(path: string, name: string): Promise<string | undefined> {
  try {
    const found = await lstat(path)
    if (!found.isFile()) throw foreign(path, 'is not a regular file')
    const content = await readOwnFile(path, maxBytes)
    if (!carriesMark(content, name)) throw foreign(path, 'lacks the mark of this schedule')
    return content
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined
    throw error instanceof ConvergeError ? error : scheduleFailed(`${path}: ${wordsOf(error)}.`)
  }
}

function carriesMark(content: string, name: string): boolean {
  const mark = markLine(name)
  return content.split('\n').some((line) => line === `# ${mark}` || line === `<!-- ${mark} -->`)
}

function foreign(path: string, what: string): ConvergeError {
  return new ConvergeError('SCHEDULE.FOREIGN', {
    summary: 'A file that converge did not write is in the way. Nothing was written.',
    why: `${path} ${what}.`,
    next: [shell('ls -l', { say: 'Look at it and move it away:' }), 'Or choose another name:  --name'],
  })
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? (error.message.split(', ')[0] ?? '') : String(error)
}
