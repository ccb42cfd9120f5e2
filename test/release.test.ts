import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Ajv from 'ajv'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { bundledComponents, listedPackages } from '../packaging/release/bundled-components.ts'
import { entryOf, faultsOf } from '../packaging/release/changelog.ts'
import { filledScript } from '../packaging/release/install-script.ts'
import { defined } from '../src/lib/defined.ts'

const root = join(import.meta.dirname, '..')
const changelog =
  '# Changelog\n\n## Unreleased\n\n- more\n\n## 1.2.3 - 2026-12-01\n\n### Added\n\n- a thing\n\n## 1.2.2 - 2026-11-01\n\n- old\n'
const source = { version: '1.2.3', date: '2026-12-01' }
const repository = { named: 'example/converge', here: 'example/converge' }
const fine = {
  tag: 'v1.2.3',
  manifest: '1.2.3',
  repository,
  source,
  changelog,
  changes: '',
  pages: { 'README.md': 'npm install' },
}

test('the notes of a release are its part of the changelog', () => {
  expect(entryOf(changelog, '1.2.3')).toEqual({ date: '2026-12-01', notes: '### Added\n\n- a thing\n' })
  expect(entryOf(changelog, '1.2')).toBeUndefined()
  expect(entryOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), 'Unreleased')?.notes).toMatch(/### Added/)
})

test.for([
  ['nothing', {}, []],
  ['a tag without v', { tag: '1.2.3' }, [/as in v1\.2\.3/]],
  ['a tag of another version', { tag: 'v1.2.2' }, [/package\.json/, /version\.ts has version/, /the date/]],
  ['a version that is not in the changelog', { changelog: '## Unreleased\n' }, [/no heading "## 1\.2\.3/]],
  ['an empty entry', { changelog: '## 1.2.3 - 2026-12-01\n\n## 1.2.2\n' }, [/says nothing/]],
  ['an owner that is not filled in', { repository: { named: 'OWNER/converge', here: undefined } }, [/in the place of OWNER/]],
  ['another repository', { repository: { ...repository, here: 'other/converge' } }, [/and this is other\/converge/]],
  [
    'a page of before',
    { pages: { 'docs/install.md': 'No release is published yet, so' } },
    [/docs\/install\.md: says that nothing/],
  ],
  ['a changed file', { changes: ' M src/main.ts' }, [/not clean/]],
] as const)('%s stops a release', ([, change, words]) => {
  const faults = faultsOf({ ...fine, ...change })
  expect(faults).toHaveLength(words.length)
  words.forEach((word, index) => expect(faults[index]).toMatch(word))
})

test('the install script of a release knows where that lies', () => {
  const template = readFileSync(join(root, 'packaging/install.sh'), 'utf8')
  const address = 'https://github.com/example/converge/releases/download/v1.2.3'
  expect(filledScript(template, address)).toContain(`\nreleased=${address}\n`)
  expect(() => filledScript(template, 'https://x.example/$(id)')).toThrow('nothing to write')
  expect(() => filledScript('#!/bin/sh\n', address)).toThrow('no line')
})

function part(name: string, scope?: string) {
  return { 'bom-ref': `${name}@1.0.0`, name, version: '1.0.0', ...defined({ scope }) }
}

test('the bill of materials has what the program contains, and nothing else', () => {
  const bill = {
    metadata: { component: { 'bom-ref': 'converge@2', type: 'library', name: 'main', version: '2' } },
    components: [part('yaml', 'optional'), part('vitest', 'optional')],
    dependencies: [
      { ref: 'converge@2', dependsOn: ['yaml@1.0.0', 'vitest@1.0.0'] },
      { ref: 'vitest@1.0.0', dependsOn: ['yaml@1.0.0'] },
    ],
  }
  const bundled = listedPackages(`text\n\n${'-'.repeat(80)}\nyaml 1.0.0 (ISC)\n\nwords\n`)
  const released = { name: 'converge-llm', version: '2', node: '26.1.0' }
  expect(bundledComponents(bill, bundled, released)).toEqual({
    metadata: { component: { 'bom-ref': 'converge@2', type: 'application', name: 'converge-llm', version: '2' } },
    components: [
      { ...part('yaml'), properties: [] },
      expect.objectContaining({ type: 'platform', name: 'node', version: '26.1.0' }),
    ],
    dependencies: [{ ref: 'converge@2', dependsOn: ['yaml@1.0.0'] }],
  })
  expect(() => bundledComponents(bill, new Set(['ssh2 1.0.0']), released)).toThrow('ssh2 1.0.0')
  expect(() => bundledComponents(bill, listedPackages(''), released)).toThrow('any package')
})

const workflows = globSync('.github/workflows/*.yml', { cwd: root })

test.for([...workflows.map((path) => [path, 'github-workflow.json'] as const), ['action.yml', 'github-action.json'] as const])(
  '%s is what GitHub takes',
  ([path, schema]) => {
    const text = readFileSync(join(root, 'test/fixtures/foreign-schemas', schema), 'utf8')
    const validate = new Ajv.Ajv({ strict: false, logger: false }).compile(JSON.parse(text))
    validate(parse(readFileSync(join(root, path), 'utf8')))
    expect(validate.errors ?? []).toEqual([])
  },
)

test('workflows use no action that could change under them, and one version of each', () => {
  const texts = workflows.map((path) => readFileSync(join(root, path), 'utf8'))
  const used = texts.flatMap((text) => [...text.matchAll(/uses: (?!\.\/)(.+)/g)].map(([, action = '']) => action))
  expect(used.length).toBeGreaterThan(9)
  expect(used.filter((action) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([])
  const versions = [...new Set(used)]
  expect(versions).toHaveLength(new Set(versions.map((action) => action.split('@')[0])).size)
})

test('docs/ci.md uses the action of the repository that package.json names', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [, name = ''] = /github\.com\/(.+)\.git$/.exec(manifest.repository.url) ?? []
  const used = [...readFileSync(join(root, 'docs/ci.md'), 'utf8').matchAll(/uses: (\S+\/converge@\S+)/g)].map(
    ([, action]) => action,
  )
  expect(new Set(used)).toEqual(new Set([`${name}@v${manifest.version}`]))
})
