import type { Secret } from '../model/secret.ts'

/**
 * Takes every known secret out of text before anybody sees it: the value itself and its base64, URL-encoded, JSON-escaped and
 * shell-quoted forms. Values under four characters would tear ordinary words apart and are left alone.
 */
export interface Redactor {
  learn(secret: Secret): void
  redact(text: string): string
}

const shortest = 4

/** @param reveal how a secret is opened; passed in so that only the composition root decides who may. */
export function createRedactor(reveal: (secret: Secret) => string): Redactor {
  const forms = new Set<string>()
  let sorted: readonly string[] = []
  return {
    learn(secret) {
      const value = reveal(secret)
      if (value.length < shortest) return
      for (const form of formsOf(value)) forms.add(form)
      sorted = [...forms].toSorted((a, b) => b.length - a.length)
    },
    redact: (text) => sorted.reduce((rest, form) => rest.replaceAll(form, '***'), text),
  }
}

/** How files and messages write a value: for compose, for units, in JSON and YAML, for a shell. */
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

/** The value in every notation and in one notation inside another, as in a quoted line of a file. */
function written(value: string): ReadonlySet<string> {
  let forms = new Set([value])
  for (let depth = 0; depth < 3; depth++)
    forms = new Set([...forms].flatMap((form) => [form, ...notations.map((write) => write(form))]))
  return forms
}
