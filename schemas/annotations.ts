/**
 * Keywords of our own, which AJV need not understand: `x-noun` names a thing in messages, `x-kinds` are the kinds that have a field,
 * `patternErrorMessage` is what editors show as well.
 */
export const annotations = ['x-noun', 'x-kinds', 'patternErrorMessage'] as const
