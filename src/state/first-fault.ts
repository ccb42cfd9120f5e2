/** An error of a validator. */
interface Fault {
  readonly keyword: string
  readonly instancePath: string
  readonly message?: string
}

/**
 * The first error of a generated document: where, and what its schema says. An unknown member is only reported if nothing else is
 * wrong.
 *
 * @param at JSON pointer of the document in its file
 */
export function firstFault(errors: readonly Fault[] | null | undefined, at = ''): string {
  const error = errors?.find(({ keyword }) => keyword !== 'additionalProperties') ?? errors?.[0]
  const path = `${at}${error?.instancePath ?? ''}`
  return `${path === '' ? 'it' : path} ${error?.message ?? 'does not match its schema'}`
}
