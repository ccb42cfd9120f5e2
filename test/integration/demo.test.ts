import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, it } from 'vitest'
import { processTable } from '../../simulation/process-table.ts'

const main = join(import.meta.dirname, '../../dist/main.js')

/** The tour as a person gets it from a checkout, which is the bundle: the fleet's programs have to be found beside it. */
function tour(...args: readonly string[]) {
  const child = execa(process.execPath, [main, 'demo', ...args], {
    reject: false,
    all: true,
    stdin: 'ignore',
    // A terminal's interrupt reaches the whole group.
    detached: true,
    env: { PATH: process.env['PATH'], HOME: '/nowhere' },
    extendEnv: false,
  })
  let told = ''
  let ended = false
  void child.finally(() => {
    ended = true
  })
  child.all.on('data', (chunk: Buffer) => {
    told += chunk.toString()
  })
  const said = async (words: string): Promise<void> => {
    for (;;) {
      if (told.includes(words)) return
      if (ended) throw new Error(`it ended and did not say "${words}":\n${told}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  return { child, said, told: () => told, interrupt: () => process.kill(-(child.pid ?? 0), 'SIGINT') }
}

function folderIn(text: string): string {
  const [folder] = /\/\S*converge-demo-\w+/.exec(text) ?? []
  if (folder === undefined) throw new Error(`no folder of the fleet in:\n${text}`)
  return folder
}

/** Processes that were started from the fleet's folder. */
function left(folder: string): readonly string[] {
  return processTable().flatMap(({ words }) => (words().some((word) => word.includes(folder)) ? [words().join(' ')] : []))
}

describe.concurrent('converge demo', { timeout: 120_000 }, () => {
  it('tells of refusals, applies, is left with nothing to do, and stays up where it is asked to', async ({ expect }) => {
    const { child, said, told, interrupt } = tour('--keep')
    await said('to take the fleet down')
    const text = told()
    const codes = ['CORUN.SECOND_KIND_A', 'MOE.GPU_OFFLOAD'].filter((code) => text.includes(`✗ refused`) && text.includes(code))
    expect(codes).toHaveLength(2)
    expect(text).toContain('Done: 6 applied, 3 of 3 proved to work. A second plan is empty.')
    expect(text).toContain('definition.command.--ctx-size  8192 → 16384')
    expect(text.match(/^Plan: .*/gm)?.at(-1)).toMatch(/^Plan: nothing to change, 0 refused/)

    const folder = folderIn(text)
    const env = { PATH: process.env['PATH'], CONVERGE_INVENTORY: join(folder, 'fleet'), HOME: '/nowhere' }
    const status = await execa(process.execPath, [main, 'status'], { env, extendEnv: false, reject: false, all: true })
    expect(status.all).toMatch(/^box +flagship +B +running/m)

    expect(left(folder)).not.toEqual([])
    interrupt()
    expect(await child).toMatchObject({ exitCode: 130 })
    expect([existsSync(folder), left(folder)]).toEqual([false, []])
  })

  it('takes the fleet down when it is interrupted in the middle of something', async ({ expect }) => {
    const { child, said, told, interrupt } = tour()
    await said('load com.example.coder')
    const folder = folderIn(told())
    interrupt()
    expect(await child).toMatchObject({ exitCode: 130 })
    expect([existsSync(folder), left(folder)]).toEqual([false, []])
  })
})
