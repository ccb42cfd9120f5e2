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

function formsOf(value: string): readonly string[] {
  const utf8 = Buffer.from(value, 'utf8')
  const quoted = value.replaceAll("'", `'\\''`)
  const forms = [
    value,
    utf8.toString('base64'),
    utf8.toString('base64').replace(/=+$/, ''),
    utf8.toString('base64url'),
    utf8.toString('hex'),
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    quoted,
    value.replaceAll('$', '$$$$'),
    value.replaceAll('%', '%%'),
  ]
  return forms.filter((form) => form.length >= shortest)
}
