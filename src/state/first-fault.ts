/** As validators give it. */
interface Fault {
  readonly keyword: string
  readonly instancePath: string
  readonly message?: string
}

/**
 * What is wrong with a document that people hardly write by hand: where, and what its schema says. What a schema does not know is let
 * pass where something else is wrong as well.
 *
 * @param at JSON pointer of the document in its file
 */
export function firstFault(errors: readonly Fault[] | null | undefined, at = ''): string {
  const error = errors?.find(({ keyword }) => keyword !== 'additionalProperties') ?? errors?.[0]
  const path = `${at}${error?.instancePath ?? ''}`
  return `${path === '' ? 'it' : path} ${error?.message ?? 'is not as its schema says'}`
}
