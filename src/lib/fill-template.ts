/** `{{ name }}` with nothing to it but the name. */
const placeholder = /\{\{\s*([^{}]*?)\s*\}\}/gu

/** The names between braces, known or not, in their order. */
export function placeholdersIn(template: string): readonly string[] {
  return [...template.matchAll(placeholder)].map(([, name = '']) => name)
}

/** Braces that begin a placeholder and do not end one. */
export function hasBrokenPlaceholder(template: string): boolean {
  return template.replace(placeholder, '').includes('{{')
}

/** What a name stands for in its place; a value is not looked at again. A name without a value stays as it is. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(placeholder, (whole, name: string) => (Object.hasOwn(values, name) ? (values[name] ?? '') : whole))
}
