/** Stands for a blank at which no line is broken; no character of Unicode, so that no text has it. */
export const heldBlank = '\ufdd0'

/** A text that is not broken wherever lines are. */
export function onOneLine(text: string): string {
  return text.replaceAll(' ', heldBlank)
}
