import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the formula says of a published npm package. */
export interface FormulaValues {
  /** The file that lies at the address. */
  readonly tarball: string
  readonly url: string
  readonly homepage: string
  /** Of the package. */
  readonly name: string
}

/** The formula for a tap. @throws Error if a value cannot be written into it */
export function filledFormula({ tarball, url, homepage, name }: FormulaValues): string {
  const values: Readonly<Record<string, string>> = {
    URL: url,
    HOMEPAGE: homepage,
    PACKAGE: name,
    SHA256: createHash('sha256').update(readFileSync(tarball)).digest('hex'),
  }
  for (const [key, value] of Object.entries(values)) {
    if (!/^[\w@./:+~-]+$/.test(value)) throw new Error(`${key}: ${value} is nothing to write into a formula`)
  }
  const template = readFileSync(join(import.meta.dirname, 'converge.rb'), 'utf8')
  return template.replaceAll(/@([A-Z][A-Z0-9]+)@/g, (_, key: string) => values[key] ?? '')
}
