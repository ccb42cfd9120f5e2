/** The number of characters in all texts of a plain JSON value, without serialising it: it may exceed the maximum string length. */
export function lengthOfTexts(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, member) => sum + lengthOfTexts(member), 0)
}
