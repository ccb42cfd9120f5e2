/** How many characters all texts in a plain JSON value have, counted without writing it: it may be larger than one text can be. */
export function lengthOfTexts(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, member) => sum + lengthOfTexts(member), 0)
}
