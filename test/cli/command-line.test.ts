import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { parse } from 'yaml'
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

describe('the command line, as a person sees it', () => {
  it.concurrent.for(cases)('$name', async ({ name, args, exit }, { expect }) => {
    const { status, output } = await converge(args)
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
