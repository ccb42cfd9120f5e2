/** `{{ name }}`, with nothing but the name. */
const placeholder = /\{\{\s*([^{}]*?)\s*\}\}/gu

/** The names between braces, known or not, in order. */
export function placeholdersIn(template: string): readonly string[] {
  return [...template.matchAll(placeholder)].map(([, name = '']) => name)
}

/** Whether opening braces have no closing ones. */
export function hasBrokenPlaceholder(template: string): boolean {
  return template.replace(placeholder, '').includes('{{')
}

/** Replaces names by their values, which are not expanded again. A name without a value stays. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(placeholder, (whole, name: string) => (Object.hasOwn(values, name) ? (values[name] ?? '') : whole))
}
