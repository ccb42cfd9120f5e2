import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { version } from '../../src/context/version.ts'

it('prints the version that the package has', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly version: string
  }
  expect(version).toBe(manifest.version)
})
