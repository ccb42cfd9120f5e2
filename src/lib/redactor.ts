import type { Secret } from '../model/secret.ts'

/**
 * Removes every known secret from text before it is shown: the value itself and its base64, URL-encoded, JSON-escaped and shell-quoted forms.
 * Values of fewer than four characters are left alone, because they occur in ordinary words.
 */
export interface Redactor {
  learn(secret: Secret): void
  redact(text: string): string
}

const shortest = 4

/**
 * A text is scanned once, regardless of the number of secrets. Overlapping forms are masked completely.
 *
 * @param reveal opens a secret; passed in so that only the composition root decides who may do that
 */
export function createRedactor(reveal: (secret: Secret) => string): Redactor {
  const forms = new Set<string>()
  /** The lengths of forms, by their first characters. */
  const lengths = new Map<string, Set<number>>()
  /** Whether a form may begin with these characters. It is checked at each position of a text, so it avoids creating strings. */
  const starts = new Uint8Array(slots)
  function lengthAt(text: string, at: number): number {
    if (starts[slotOf(text, at)] === 0) return 0
    const fitting = [...(lengths.get(text.slice(at, at + shortest)) ?? [])].filter((length) =>
      forms.has(text.slice(at, at + length)),
    )
    return Math.max(0, ...fitting)
  }
  return {
    learn(secret) {
      const value = reveal(secret)
      if (value.length < shortest) return
      for (const form of formsOf(value)) {
        const start = form.slice(0, shortest)
        forms.add(form)
        lengths.set(start, (lengths.get(start) ?? new Set()).add(form.length))
        starts[slotOf(form, 0)] = 1
      }
    },
    redact: (text) => (forms.size === 0 ? text : masked(text, lengthAt)),
  }
}

const slots = 65_536

function slotOf(text: string, at: number): number {
  let slot = 0
  for (let index = at; index < at + shortest; index++) slot = (slot * 31 + text.charCodeAt(index)) % slots
  return slot
}

/** @param lengthAt the length of the secret that begins at a position; 0: none */
function masked(text: string, lengthAt: (text: string, at: number) => number): string {
  let shown = ''
  let end = 0
  for (let at = 0; at + shortest <= text.length; at++) {
    const length = lengthAt(text, at)
    if (length === 0) continue
    if (at >= end) shown += `${text.slice(end, at)}***`
    end = Math.max(end, at + length)
  }
  return shown + text.slice(end)
}

/** The notations of a value in files and messages: compose, units, JSON and YAML, shells. */
const notations: readonly ((value: string) => string)[] = [
  (value) => value.replaceAll('$', '$$$$'),
  (value) => value.replaceAll('%', '%%'),
  (value) => JSON.stringify(value).slice(1, -1),
  (value) => value.replaceAll("'", `'\\''`),
]

function formsOf(value: string): readonly string[] {
  const utf8 = Buffer.from(value, 'utf8')
  const base64 = utf8.toString('base64')
  const encoded = [base64, base64.replace(/=+$/, ''), utf8.toString('base64url'), utf8.toString('hex'), encodeURIComponent(value)]
  return [...written(value), ...encoded].filter((form) => form.length >= shortest)
}

/** The value in every notation, and in nested notations, as in a quoted line of a file. */
function written(value: string): ReadonlySet<string> {
  let forms = new Set([value])
  for (let depth = 0; depth < 3; depth++)
    forms = new Set([...forms].flatMap((form) => [form, ...notations.map((write) => write(form))]))
  return forms
}
