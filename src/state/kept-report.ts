import { ConvergeError } from '../errors/converge-error.ts'
import type { Validator } from '../generated/document-validators.js'
import { converge } from '../lib/next-command.ts'
import type { KeptRun } from '../model/kept-run.ts'
import { validatorOf } from './document-validator.ts'
import { firstFault } from './first-fault.ts'

/**
 * Checks a kept report against its schemas: it may have been edited.
 *
 * @param path of its file
 * @throws ConvergeError `HISTORY.INVALID`
 */
export async function checkKept(kept: KeptRun, path: string): Promise<void> {
  const { validateKeptRun } = await import('../generated/document-validators.js')
  mustFit(validateKeptRun, kept, path)
  // A document of an unknown schema is shown as it is.
  const validate = await validatorOf(kept.document)
  if (validate !== undefined) mustFit(validate, kept.document, path, '/document')
}

function mustFit(validate: Validator, value: unknown, path: string, at = ''): void {
  const fault = misfit(validate, value, at)
  if (fault !== undefined) throw notAReport(path, fault)
}

/** The first mismatch with the schema; unknown members, which a later version may write, are fine. */
export function misfit(validate: Validator, value: unknown, at = ''): string | undefined {
  if (validate(value) || (validate.errors ?? []).every(({ keyword }) => keyword === 'additionalProperties')) return undefined
  return firstFault(validate.errors, at)
}

/** An error of a renderer for a document that its schema accepts. */
export function isUnprintable(error: unknown): error is Error {
  return error instanceof TypeError || error instanceof RangeError
}

/** Renders a kept report. Even a valid document may be impossible to render. @throws ConvergeError `HISTORY.INVALID` */
export async function renderKept(path: string, render: () => Promise<void>): Promise<void> {
  try {
    await render()
  } catch (error) {
    if (!isUnprintable(error)) throw error
    throw notAReport(path, `it matches its schema but cannot be rendered: ${error.message}`, [
      'If it was not edited, please report this with the file.',
    ])
  }
}

/** @param because what is wrong with the file */
export function notAReport(path: string, because: string, more: readonly string[] = []): ConvergeError {
  return new ConvergeError('HISTORY.INVALID', {
    summary: 'The file is not a converge report.',
    why: `${path}: ${because}. It was edited or truncated, or written by another version of converge.`,
    next: [
      'Restore it, or delete it: nothing else depends on it.',
      converge(['history'], { say: 'List the other reports:' }),
      ...more,
    ],
  })
}
