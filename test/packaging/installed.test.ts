import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa, execaSync } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verbs } from '../../src/cli/verbs/index.ts'
import { openLinuxBox } from '../integration/linux-site.ts'
import { type InstalledPackage, installPackage } from './install-package.ts'

let installed: InstalledPackage
let folder: string
let converge: string

beforeAll(async () => {
  installed = await installPackage()
  folder = join(installed.prefix, 'lib/node_modules/converge-llm')
  converge = join(installed.prefix, 'bin/converge')
})
afterAll(() => installed[Symbol.asyncDispose]())

describe('the package', () => {
  it('is small, packed and unpacked', () => {
    expect(installed.tarball.size).toBeLessThan(3_000_000)
    expect(installed.tarball.unpackedSize).toBeLessThan(8_000_000)
  })

  it('holds the program, its schemas and what people read', () => {
    const kinds =
      /^(package\.json|README\.md|LICENSE|schemas\/[\w-]+\.schema\.json|dist\/.+\.(js|pl|[15])|dist\/THIRD-PARTY-LICENSES\.txt|dist\/completions\/.+)$/
    const paths = installed.tarball.files.map(({ path }) => path)
    expect(paths.filter((path) => !kinds.test(path))).toEqual([])
    expect(paths).toEqual(
      expect.arrayContaining(['dist/main.js', 'dist/THIRD-PARTY-LICENSES.txt', 'schemas/inventory.schema.json']),
    )
  })

  it('names a man page for each command', () => {
    const { man }: { readonly man: readonly string[] } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const pages = ['converge.1', ...Object.keys(verbs).map((verb) => `converge-${verb}.1`), 'converge-inventory.5']
    expect(man.toSorted()).toEqual(pages.map((page) => `./dist/man/${page}`).toSorted())
    expect(pages.filter((page) => !existsSync(join(folder, 'dist/man', page)))).toEqual([])
  })

  it('brings no other package along, and runs nothing while it is installed', () => {
    expect(readdirSync(join(installed.prefix, 'lib/node_modules'))).toEqual(['converge-llm'])
    expect(existsSync(join(folder, 'node_modules'))).toBe(false)
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const kinds = ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies']
    expect(kinds.filter((kind) => kind in manifest)).toEqual([])
    expect(Object.keys(manifest.scripts).filter((name) => /^(pre|post)?install$|^prepare$/.test(name))).toEqual([])
    // npm announces a script with its name, and warns of one that it did not run.
    expect(installed.said).toMatch(/^\s*added 1 package in \w+$/)
  })
})

describe('installed, the program', () => {
  /** As a person has it who has Node and nothing else. */
  async function run(...args: readonly string[]) {
    const home = join(installed.prefix, 'home')
    const bin = join(home, 'bin')
    await mkdir(bin, { recursive: true })
    if (!existsSync(join(bin, 'node'))) await symlink(process.execPath, join(bin, 'node'))
    await writeFile(join(home, 'fleet.yaml'), fleet)
    return execa(converge, args, { cwd: home, env: { HOME: home, PATH: bin }, extendEnv: false, reject: false })
  }
  const fleet = `all:
  hosts:
    box:
      services: { writer: { kind: A, port: 9990, model: { path: /srv/models/writer.gguf } } }
`

  it('says its version', async () => {
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    expect(await run('--version')).toMatchObject({ exitCode: 0, stdout: version, stderr: '' })
  })

  it('judges an inventory', async () => {
    expect(await run('validate', '-i', 'fleet.yaml')).toMatchObject({
      exitCode: 3,
      stdout: expect.stringContaining('KEY.MISSING'),
    })
  })

  it('plans over SSH', async () => {
    await using site = await openLinuxBox(13_990, { program: join(folder, 'dist/main.js') })
    await site.inventory({ flagship: site.flagship() })
    const plan = await site.converge('plan')
    expect(plan).toMatchObject({ code: 0, stdout: expect.stringContaining('start flagship') })
  })
})

describe('under an older Node, the program', () => {
  /** The Node of the project that calls itself an older one; and those of this machine, which may be older. */
  const asOlder =
    'data:text/javascript,Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } })'
  it.each([[process.execPath, '--import', asOlder], ...oldNodes().map((node) => [node])])(
    'says in one sentence what it needs: %s',
    async (node, ...options) => {
      const { exitCode, stdout, stderr } = await execa(node, [...options, join(folder, 'dist/main.js'), 'plan'], {
        reject: false,
      })
      expect({ exitCode, stdout }).toEqual({ exitCode: 64, stdout: '' })
      expect(stderr).toMatch(/^converge needs Node \d+ or newer, and this is Node [\d.]+ \(\S+\)\.$/)
    },
  )
})

/** Of this machine, whose Node is rarely that of the project. */
function oldNodes(): readonly string[] {
  return ['/usr/bin/node', '/usr/local/bin/node'].filter((path) => {
    if (!existsSync(path)) return false
    const [, major] = /^v(\d+)/.exec(execaSync(path, ['--version']).stdout) ?? []
    return Number(major) < 24
  })
}
