import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** One folder below `test/fixtures/<area>/`. */
export interface FixtureCase {
  readonly name: string
  readonly folder: string
  /** What is given to converge, from the root of the project: `inventory.yaml`, else the folder `inventory`. */
  readonly input: string
}

export function fixtureCases(area: string): readonly FixtureCase[] {
  const root = join('test/fixtures', area)
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const folder = join(root, name)
      const file = join(folder, 'inventory.yaml')
      return { name, folder, input: existsSync(file) ? file : join(folder, 'inventory') }
    })
}
