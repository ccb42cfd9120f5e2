import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, it } from 'vitest'
import { processTable } from '../../simulation/process-table.ts'

const main = join(import.meta.dirname, '../../dist/main.js')

/** The tour as a person gets it from a checkout, which is the bundle: the fleet's programs have to be found beside it. */
function tour(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const child = execa(process.execPath, [main, 'demo', ...args], {
    reject: false,
    all: true,
    stdin: 'ignore',
    env: { PATH: process.env['PATH'], HOME: '/dev/null/nowhere', ...env },
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
  return {
    child,
    said,
    told: () => told,
    /** This process alone, as a supervisor does; a terminal's interrupt reaches no more, for what it runs has groups of its own. */
    kill: (signal: NodeJS.Signals) => process.kill(child.pid ?? 0, signal),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGINT')
      await child
    },
  }
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
    await using running = tour(['--keep'])
    const { child, said, told, kill } = running
    await said('to take the fleet down')
    const text = told()
    const codes = ['CORUN.SECOND_KIND_A', 'MOE.GPU_OFFLOAD'].filter((code) => text.includes(`✗ refused`) && text.includes(code))
    expect(codes).toHaveLength(2)
    expect(text).toContain('Done: 6 applied, 3 of 3 proved to work. A second plan is empty.')
    expect(text).toContain('definition.command.--ctx-size  8192 → 16384')
    expect(text.match(/^Plan: .*/gm)?.at(-1)).toMatch(/^Plan: nothing to change, 0 refused/)

    const folder = folderIn(text)
    const env = { PATH: process.env['PATH'], CONVERGE_INVENTORY: join(folder, 'fleet'), HOME: '/dev/null/nowhere' }
    const status = await execa(process.execPath, [main, 'status'], { env, extendEnv: false, reject: false, all: true })
    expect(status.all).toMatch(/^box +flagship +B +running/m)

    expect(left(folder)).not.toEqual([])
    kill('SIGINT')
    expect(await child).toMatchObject({ exitCode: 130 })
    expect([existsSync(folder), left(folder)]).toEqual([false, []])
  })

  it.for<NodeJS.Signals>(['SIGINT', 'SIGTERM'])(
    'ends what it runs and takes the fleet down on %s',
    async (signal, { expect }) => {
      await using running = tour()
      const { child, said, told, kill } = running
      await said('load com.example.coder')
      const folder = folderIn(told())
      kill(signal)
      expect(told()).not.toContain('Done:')
      expect(await child).toMatchObject({ exitCode: 130 })
      expect([existsSync(folder), left(folder)]).toEqual([false, []])
    },
  )

  it('leaves no server behind when it is killed', async ({ expect }) => {
    await using running = tour()
    const { said, told, kill } = running
    await said('start done in')
    const folder = folderIn(told())
    kill('SIGKILL')
    await expect.poll(() => left(folder).filter((words) => words.includes('simulation'))).toEqual([])
    // Somebody may still write his last words there.
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  })

  it('works where the temporary folder has a blank in its name', async ({ expect }) => {
    const place = await mkdtemp(join(tmpdir(), 'a b-'))
    await using running = tour([], { TMPDIR: place })
    await running.said('refused giant')
    expect(running.told()).not.toContain('could not be looked at')
    // Node keeps what it compiled there.
    expect((await readdir(place)).filter((name) => name !== 'node-compile-cache')).toEqual([])
    await rm(place, { recursive: true })
  })
})
