import type { Reading } from './setting.ts'

/** Text that a definition can hold, as in the inventory's schema: one line without characters that do not survive. */
const oneLine = /^[^\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u2028\u2029\ufeff\ufffd]*$/u

/** Whether a word can stand in an inventory. */
export function isOneLine(word: string): boolean {
  return oneLine.test(word)
}

/** A whole number within limits. */
export function wholeNumber(low: number, high: number = Number.MAX_SAFE_INTEGER): (value: string) => Reading {
  return (value) => {
    const number = Number(value)
    if (/^\d+$/.test(value) && number >= low && number <= high) return { value: number }
    return { why: `the field is a whole number from ${low}${high === Number.MAX_SAFE_INTEGER ? '' : ` to ${high}`}` }
  }
}

/** A number above zero, with or without a fraction. */
export function positiveNumber(value: string): Reading {
  return /^(\d+\.?\d*|\.\d+)$/.test(value) && Number(value) > 0
    ? { value: Number(value) }
    : { why: 'the field is a number above 0' }
}

/** One line that is not empty. */
export function text(value: string): Reading {
  return value !== '' && isOneLine(value) ? { value } : { why: 'the field is one line of text and not empty' }
}

/** One name in one line. Servers split it at commas. */
export function singleName(value: string): Reading {
  return value.includes(',') ? { why: 'the field is one name without commas' } : text(value)
}

/** An absolute path in one line. */
export function absolutePath(value: string): Reading {
  return value.startsWith('/') && isOneLine(value) ? { value } : { why: 'the field is an absolute path' }
}

/** A path of a model, in the form of the inventory. */
export function modelPath(value: string): Reading {
  const path = absolutePath(value)
  return 'why' in path ? path : { value: { path: value } }
}
