/** What commander does not know of the value of an option or argument. */
interface Offer {
  /** The values that the shell completes; those of `choices()` are known. */
  readonly values?: readonly string[]
  /** The option may be given several times. */
  readonly isRepeatable?: true
}

const offers = new WeakMap<object, Offer>()

/** @param parser of the value, or the argument itself */
export function offering<T extends object>(parser: T, offer: Offer): T {
  offers.set(parser, offer)
  return parser
}

/** An option or argument, as commander holds it. */
interface Given {
  readonly variadic: boolean
  readonly argChoices?: readonly string[] | undefined
  readonly parseArg?: object | undefined
}

export function offerOf(given: Given): { readonly values: readonly string[]; readonly isRepeatable: boolean } {
  const { values = [], isRepeatable = given.variadic } = offers.get(given.parseArg ?? given) ?? {}
  return { values: given.argChoices ?? values, isRepeatable }
}
