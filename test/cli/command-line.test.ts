import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { parse } from 'yaml'

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
  readonly told: string
}

const cases = parse(readFileSync(join(fixtures, 'cases.yaml'), 'utf8')) as readonly Case[]

function converge(args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ['src/main.ts', ...args], { cwd: root, env }, (error, stdout, stderr) => {
      const status = error === null ? 0 : Number(error.code)
      resolve({ status, told: `exit ${status}\n--- stdout\n${stdout}--- stderr\n${stderr}` })
    })
    child.stdin?.end()
  })
}

describe('the command line, as a person sees it', () => {
  it.concurrent.for(cases)('$name', async ({ name, args, exit }, { expect }) => {
    const { status, told } = await converge(args)
    await expect(told).toMatchFileSnapshot(join(fixtures, `${name}.txt`))
    expect(status).toBe(exit)
  })
})
