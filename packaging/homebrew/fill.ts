import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Prints the formula of a published npm package: `fill.ts TARBALL URL HOMEPAGE PACKAGE`. The tarball is the file that lies at the address.
 */
const [tarball = '', url = '', homepage = '', name = ''] = process.argv.slice(2)
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
process.stdout.write(template.replaceAll(/@([A-Z][A-Z0-9]+)@/g, (_, key: string) => values[key] ?? ''))
