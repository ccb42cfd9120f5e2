import { stat } from 'node:fs/promises'
import { ConvergeError } from '../errors/converge-error.ts'
import { defined } from '../lib/defined.ts'
import { unfit, writeSpecial } from './special-file.ts'

/** Whole or not at all; but what is no file (`/dev/null`, a pipe) is written to and never replaced. */
export async function writeWhole(
  file: string,
  content: string,
  {
    mode,
    consequence = 'What was done on the hosts stays done.',
  }: { readonly mode?: number | undefined; readonly consequence?: string } = {},
): Promise<void> {
  const { default: writeFileAtomic } = await import('write-file-atomic')
  try {
    const why = await unfit(file)
    if (why !== undefined) throw new Error(why)
    const found = await stat(file).catch(() => undefined)
    if (found === undefined || found.isFile()) await writeFileAtomic(file, content, defined({ mode }))
    else await writeSpecial(file, found, content)
  } catch (error) {
    throw notWritten(file, error, consequence)
  }
}

/** @param consequence what was done, or not, because of it */
export function notWritten(file: string, error: unknown, consequence: string): ConvergeError {
  const why = error instanceof Error ? error.message.split(', ')[0] : String(error)
  return new ConvergeError('USAGE.OUTPUT_FILE', {
    summary: 'The result could not be written to a file.',
    why: `${file}: ${why}. ${consequence}`,
    next: ['Name a file in a folder that exists and that you may write to.'],
  })
}
