/**
 * A time as milliseconds since 1970. A leap second (`23:59:60`), which JavaScript does not support, is read as the second before it.
 *
 * @param text ISO 8601
 * @returns NaN if it is not a time
 */
export function momentMs(text: string): number {
  return Date.parse(text.replace(/:60(?=[.Z+-]|$)/, ':59'))
}
