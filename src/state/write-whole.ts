import { stat, writeFile } from 'node:fs/promises'
import { ConvergeError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import { unfit, writeSpecial } from './special-file.ts'

/** A text, or its pieces. */
export type Content = string | Iterable<string>

/** Writes a file atomically. A special file (`/dev/null`, a pipe) is written to, never replaced. */
export async function writeWhole(
  file: string,
  content: Content,
  {
    mode,
    consequence = 'Changes on the hosts remain.',
  }: { readonly mode?: number | undefined; readonly consequence?: string } = {},
): Promise<void> {
  try {
    const why = await unfit(file)
    if (why !== undefined) throw new Error(why)
    const found = await stat(file).catch(() => undefined)
    if (found === undefined || found.isFile()) await replaceFile(file, content, mode)
    else await writeSpecial(file, found, content)
  } catch (error) {
    throw notWritten(file, error, consequence)
  }
}

/**
 * Replaces a regular file, or creates it. A link stays one: the file that it leads to is replaced. An existing file keeps its owner.
 *
 * @param mode absent: an existing file keeps its own
 * @throws Error of the system; then the file is as it was
 */
export async function replaceFile(file: string, content: Content, mode?: number): Promise<void> {
  const { default: writeFileAtomic } = await import('write-file-atomic')
  // The package itself writes once, and takes a part for the whole if the disk is full.
  const tmpfileCreated = (temporary: string) => writeFile(temporary, content)
  await writeFileAtomic(file, '', defined({ mode, tmpfileCreated }))
}

/** @param consequence a sentence about what was done or not */
export function notWritten(file: string, error: unknown, consequence: string): ConvergeError {
  return new ConvergeError('USAGE.OUTPUT_FILE', {
    summary: 'The result could not be written to a file.',
    why: whyNotWritten(file, error, consequence),
    next: ['Name a file in an existing folder that you can write to.'],
  })
}

export function whyNotWritten(file: string, error: unknown, consequence: string): string {
  const why = error instanceof Error ? error.message.split(', ')[0] : String(error)
  return `${file}: ${why}. ${consequence}`
}
