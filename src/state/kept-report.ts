import { ConvergeError } from '../errors/converge-error.ts'
import type { Validator } from '../generated/document-validators.js'
import { converge } from '../lib/next-command.ts'
import type { KeptRun } from '../model/kept-run.ts'
import { validatorOf } from './document-validator.ts'
import { firstFault } from './first-fault.ts'

/**
 * A report of the past as its schemas say: whoever can read it can have edited it.
 *
 * @param path of its file
 * @throws ConvergeError `HISTORY.INVALID`
 */
export async function checkKept(kept: KeptRun, path: string): Promise<void> {
  const { validateKeptRun } = await import('../generated/document-validators.js')
  mustFit(validateKeptRun, kept, path)
  // Of a kind that is not known: as it was written, it is shown.
  const validate = await validatorOf(kept.document)
  if (validate !== undefined) mustFit(validate, kept.document, path, '/document')
}

function mustFit(validate: Validator, value: unknown, path: string, at = ''): void {
  const fault = misfit(validate, value, at)
  if (fault !== undefined) throw notAReport(path, fault)
}

/** What is not as the schema says; what a later version says beyond it does no harm. */
export function misfit(validate: Validator, value: unknown, at = ''): string | undefined {
  if (validate(value) || (validate.errors ?? []).every(({ keyword }) => keyword === 'additionalProperties')) return undefined
  return firstFault(validate.errors, at)
}

/** What the code of a renderer throws at what its schema lets pass. */
export function isUnprintable(error: unknown): error is Error {
  return error instanceof TypeError || error instanceof RangeError
}

/** Tells it; what a schema lets pass can still be nothing that can be told. @throws ConvergeError `HISTORY.INVALID` */
export async function tellKept(path: string, tell: () => Promise<void>): Promise<void> {
  try {
    await tell()
  } catch (error) {
    if (!isUnprintable(error)) throw error
    throw notAReport(path, `it cannot be told, though it fits its schema: ${error.message}`, [
      'If nobody has edited it, please report this, with the file.',
    ])
  }
}

/** @param because what is wrong with it */
export function notAReport(path: string, because: string, more: readonly string[] = []): ConvergeError {
  return new ConvergeError('HISTORY.INVALID', {
    summary: 'The file is not a converge report.',
    why: `${path}: ${because}. It was edited or cut off, or another version of converge wrote it.`,
    next: [
      'Put it back as it was, or delete it: nothing else depends on it.',
      converge(['history'], { say: 'See which others there are:' }),
      ...more,
    ],
  })
}
