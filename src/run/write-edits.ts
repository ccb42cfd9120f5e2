import { lstat, mkdir, readFile, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { ConvergeError } from '../errors/converge-error.ts'
import type { FileEdit } from '../model/file-edit.ts'
import type { NextStep } from '../model/next-step.ts'
import { replaceFile, whyNotWritten } from '../state/write-whole.ts'

/**
 * Writes edits of the user's files: all, or none. Each file is replaced atomically and keeps its mode and owner; a link stays one, and the file that it
 * leads to is replaced. A missing folder of a new file is created. If a write fails, the files written before it get their former content, and the
 * error names those that could not.
 *
 * @param next what to do if a file changed after it was read
 * @throws ConvergeError `INVENTORY.CHANGED` if a file is no longer as it was read; `USAGE.OUTPUT_FILE`
 */
export async function writeEdits(edits: readonly FileEdit[], { next }: { readonly next: readonly NextStep[] }): Promise<void> {
  for (const edit of edits) {
    const change = await changeSinceRead(edit)
    if (change !== undefined) throw changed(change, nothingWritten, next)
  }
  const begun: BegunWrite[] = []
  for (const edit of edits) {
    // Again: the writes before it took time, or were to the same file.
    const change = await changeSinceRead(edit)
    if (change !== undefined) throw changed(change, await restore(begun), next)
    try {
      const folder = await mkdir(dirname(edit.file), { recursive: true })
      begun.push({ edit, folder })
      await replaceFile(edit.file, edit.after)
    } catch (error) {
      throw unwritable(edit.file, error, await restore(begun))
    }
  }
}

interface BegunWrite {
  readonly edit: FileEdit
  /** The outermost folder that was created for it. */
  readonly folder: string | undefined
}

/** In words; undefined: none. */
async function changeSinceRead({ file, before }: FileEdit): Promise<string | undefined> {
  const now = await textOf(file)
  if (now === before) return undefined
  return `${file} ${before === null ? 'appeared' : now === null ? 'was removed' : 'changed'}`
}

/** Null: there is nothing. Undefined: it is not a readable file, for example a dangling link. */
async function textOf(file: string): Promise<string | null | undefined> {
  try {
    return (await stat(file)).isFile() ? await readFile(file, 'utf8') : undefined
  } catch {
    return lstat(file).then(
      () => undefined,
      () => null,
    )
  }
}

const nothingWritten = 'Nothing was written.'

/** @returns a sentence about what became of the files. One that another program changed since then stays as it is. */
async function restore(begun: readonly BegunWrite[]): Promise<string> {
  const restored: string[] = []
  const left: string[] = []
  for (const { edit, folder } of begun.toReversed()) {
    const now = await textOf(edit.file)
    const isWritten = now !== edit.before
    if (isWritten) (now === edit.after && (await putBack(edit)) ? restored : left).push(edit.file)
    if (folder !== undefined) await removeEmpty(dirname(edit.file), folder)
  }
  const words = [
    ...(restored.length > 0 ? [`Files written before are as they were: ${restored.join(', ')}.`] : []),
    ...(left.length > 0 ? [`These could not be restored: ${left.join(', ')}.`] : []),
  ]
  return words.length === 0 ? nothingWritten : words.join(' ')
}

async function putBack({ file, before }: FileEdit): Promise<boolean> {
  try {
    await (before === null ? rm(file) : replaceFile(file, before))
    return true
  } catch {
    return false
  }
}

async function removeEmpty(innermost: string, outermost: string): Promise<void> {
  const last = resolve(outermost)
  try {
    for (let folder = resolve(innermost); folder.startsWith(last); folder = dirname(folder)) await rmdir(folder)
  } catch {
    // Another program put a file there.
  }
}

function changed(change: string, consequence: string, next: readonly NextStep[]): ConvergeError {
  return new ConvergeError('INVENTORY.CHANGED', {
    summary: 'The inventory was changed in the meantime.',
    why: `${change} after converge read the inventory. ${consequence}`,
    next,
  })
}

function unwritable(file: string, error: unknown, consequence: string): ConvergeError {
  return new ConvergeError('USAGE.OUTPUT_FILE', {
    summary: 'The inventory could not be written.',
    why: whyNotWritten(file, error, consequence),
    next: ['Check the permissions of the file and its folder, and the space on the disk.'],
  })
}
