import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it, vi } from 'vitest'
import { parse } from 'yaml'
import { version } from '../../src/context/version.ts'
import { convergeToTheByte } from '../support/converge-here.ts'
import { program } from '../support/program.ts'

const root = join(import.meta.dirname, '../..')
const fixtures = join(root, 'test/fixtures/cli')
/** No ssh config, no agent, no colour and no journals of the machine the tests run on. */
const env = { PATH: process.env['PATH'], HOME: '/nonexistent', CONVERGE_STATE_DIR: '/dev/null/state', NO_COLOR: '1' }

interface Case {
  readonly name: string
  readonly args: readonly string[]
  readonly exit: number
}

interface Ended {
  readonly status: number
  readonly output: string
}

const cases = parse(readFileSync(join(fixtures, 'cases.yaml'), 'utf8')) as readonly Case[]

function converge(args: readonly string[], cwd = root): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...args], { cwd, env }, (error, stdout, stderr) => {
      const status = error === null ? 0 : Number(error.code)
      resolve({ status, output: `exit ${status}\n--- stdout\n${stdout}--- stderr\n${stderr}` })
    })
    child.stdin?.end()
  })
}

/** Without a process of its own: starting Node takes most of a run. */
async function here(args: readonly string[]): Promise<Ended> {
  const { code = -1, stdout, stderr } = await convergeToTheByte(args, { env, cwd: root })
  return { status: code, output: `exit ${code}\n--- stdout\n${stdout}--- stderr\n${stderr}` }
}

/** Help and errors as they leave a process: one of each kind. */
const inProcesses: ReadonlySet<string> = new Set(['help', 'unknown-verb', 'word-of-another-tool-json', 'hosts-unknown'])

describe('the command line, as a person sees it', () => {
  // The process determines the home, which must not be that of the account that runs the tests.
  beforeAll(() => void vi.stubEnv('HOME', env.HOME))
  afterAll(() => void vi.unstubAllEnvs())

  it.concurrent.for(cases)('$name', async ({ name, args, exit }, { expect }) => {
    const { status, output } = await (inProcesses.has(name) ? converge(args) : here(args))
    await expect(output).toMatchFileSnapshot(join(fixtures, `${name}.txt`))
    expect(status).toBe(exit)
  })
})

describe('a missing file', () => {
  const inventory = join(root, 'inventories/home')
  it.concurrent.for([
    ['a playbook', ['plan', '-i', inventory, 'site.yml']],
    ['an inventory', ['validate', '-i', 'hom']],
  ] as const)('is not looked for in a missing folder: %s', async ([, args], { expect }) => {
    const { status, output } = await converge(args, fixtures)
    expect(status).toBe(64)
    expect(output).toMatch(/NOT_FOUND[^]*next: /)
    expect(output).not.toMatch(/\bls /)
  })
})

describe('--version', () => {
  it('prints nothing but the version, and with --json where it comes from', async ({ expect }) => {
    const plain = await converge(['--version'])
    const asJson = await converge(['--json', '-V'])
    expect(plain.output).toBe(`exit 0\n--- stdout\n${version}\n--- stderr\n`)
    const document: unknown = JSON.parse(/--- stdout\n([^]*)--- stderr\n$/.exec(asJson.output)?.[1] ?? '')
    expect(document).toMatchObject({ schema: 'converge/version/v1', version, form: 'checkout', node: process.versions.node })
  })
})
