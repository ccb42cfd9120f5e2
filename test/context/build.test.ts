import { afterEach, expect, it, vi } from 'vitest'
import { identity } from '../../packaging/identity.ts'
import { versionDocument } from '../../src/context/build.ts'
import { version } from '../../src/context/version.ts'
import { loadSchemas } from '../schemas/documents.ts'

const commit = '4f1c0bb4d8f0ff3b7f6f5d1c2c0a3b7a9c1e2d34'
const machine = { versions: { ...process.versions, node: '24.21.0' }, platform: 'linux', arch: 'arm64' } as const

afterEach(() => void vi.unstubAllEnvs())

it('says what the build says, and the sources say that nothing was built', () => {
  const document = versionDocument({ ...machine, env: {} }, { form: 'npm', commit })
  const said = { version, commit, form: 'npm', node: '24.21.0', platform: 'linux', arch: 'arm64' }
  expect(document).toEqual({ schema: 'converge/version/v1', ...said })
  expect(loadSchemas()('version.schema.json')(document)).toBe(true)
  expect(versionDocument({ ...machine, env: {} })).toMatchObject({ form: 'checkout', commit: null })
})

it.each([
  ['a wrapper', 'npm', 'homebrew', 'homebrew'],
  ['a wrapper of a binary', 'binary', 'deb', 'deb'],
  ['a variable that is no form', 'npm', 'snap', 'npm'],
  ['a variable over a checkout', 'checkout', 'deb', 'checkout'],
] as const)('takes the form from %s, or not', (_, form, wrapped, said) => {
  expect(versionDocument({ ...machine, env: { CONVERGE_FORM: wrapped } }, { form, commit: null }).form).toBe(said)
})

it('gives a build its form and its commit', () => {
  vi.stubEnv('CONVERGE_COMMIT', commit)
  expect(JSON.parse(identity('binary')['CONVERGE_BUILD'] ?? '')).toEqual({ form: 'binary', commit })
  expect(() => identity('snap')).toThrow(/forms are npm/)
  vi.stubEnv('CONVERGE_COMMIT', 'main')
  expect(() => identity('binary')).toThrow('main is no commit')
})
