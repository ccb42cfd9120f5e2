/** Freezes a plain JSON value at every depth, so that no later code can change what was shown. */
export function freezeDeep<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const member of Object.values(value)) freezeDeep(member)
  }
  return value
}
