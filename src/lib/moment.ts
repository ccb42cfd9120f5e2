/**
 * A moment as milliseconds since 1970. A second that was put in between (`23:59:60`), which JavaScript does not know, is read as the one
 * before it.
 *
 * @param text ISO 8601
 * @returns NaN where it is none
 */
export function momentMs(text: string): number {
  return Date.parse(text.replace(/:60(?=[.Z+-]|$)/, ':59'))
}
