import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { filledFormula } from '../../packaging/homebrew/fill.ts'
import { version } from '../../src/context/version.ts'
import { program } from '../support/program.ts'

interface Done {
  readonly facts: Readonly<Record<string, string>>
  readonly calls: readonly (readonly string[])[]
}

/** Homebrew runs nowhere but on Macs and in its own prefix: a double does what the formula says, with the built converge in the place of npm. */
describe('the formula', () => {
  let folder = ''
  let done: Done

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'converge-brew-'))
    const tarball = join(folder, 'converge.tgz')
    await writeFile(tarball, 'a tarball')
    const url = 'https://registry.example/converge-0.1.0.tgz'
    const formula = filledFormula({ tarball, url, homepage: 'https://example.com/converge', name: 'converge' })
    await writeFile(join(folder, 'converge.rb'), formula)
    await mkdir(join(folder, 'opt/node/bin'), { recursive: true })
    await symlink(process.execPath, join(folder, 'opt/node/bin/node'))
    const installed = join(folder, 'Cellar/converge/1/libexec')
    await mkdir(join(installed, 'bin'), { recursive: true })
    await cp(join(program, '..'), join(installed, 'dist'), { recursive: true })
    await symlink('../dist/main.js', join(installed, 'bin/converge'))
    // A Node of another place comes first in the PATH of this person, and is too old.
    await mkdir(join(folder, 'old'))
    await writeFile(join(folder, 'old/node'), '#!/bin/sh\necho an old node\nexit 1\n', { mode: 0o755 })
    const env = { PATH: `${folder}/old:/usr/bin:/bin`, HOME: folder }
    const double = join(import.meta.dirname, 'formula-double.rb')
    const { stdout } = await execa('ruby', [double, join(folder, 'converge.rb'), folder], { env, extendEnv: false })
    done = JSON.parse(stdout)
  })

  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('is Ruby, and has no place left to fill', async () => {
    await execa('ruby', ['-wc', join(folder, 'converge.rb')])
    expect(await readFile(join(folder, 'converge.rb'), 'utf8')).not.toMatch(/@[A-Z]/)
  })

  it('names the tarball by its digest', () => {
    expect(done.facts).toMatchObject({
      url: 'https://registry.example/converge-0.1.0.tgz',
      sha256: '2469d8880c5d140fa5774872d571fc600547eda0b1b29545ef8bf19b20aa3837',
      depends_on: 'node',
    })
  })

  it('makes a wrapper that runs with the Node of the formula, whichever is first in PATH, by paths that stay', async () => {
    const wrapper = await readFile(join(folder, 'Cellar/converge/1/bin/converge'), 'utf8')
    expect(wrapper).toContain(`exec "${folder}/opt/converge/libexec/bin/converge"`)
    expect(wrapper).toContain('CONVERGE_FORM="homebrew"')
    expect(done.calls).toContainEqual(['match', version, version])
  })

  it('generates completions offline, with the shell as an argument', () => {
    expect(done.calls).toContainEqual(['completions', `${folder}/Cellar/converge/1/libexec/bin/converge`, 'completion'])
  })

  it('has a test that converge passes', () => {
    expect(done.calls).toContainEqual(['match', 'valid', expect.stringMatching(/hosts\.yaml: valid/)])
  })
})
