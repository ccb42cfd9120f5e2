import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, it } from 'vitest'
import { openLinuxBox } from './linux-site.ts'

/** An end of input is a no; for the rest of it this is a terminal. */
const terminal = 'process.stdin.isTTY = true\nprocess.stderr.isTTY = true\n'

describe('the question of an apply', { timeout: 60_000 }, () => {
  it('that is not answered with yes ends the run like an interrupt, with nothing done', async ({ expect }) => {
    await using site = await openLinuxBox(13_640)
    const module = join(site.folder, 'terminal.mjs')
    await writeFile(module, terminal)
    await site.inventory({ flagship: site.flagship() })
    const { code, output } = await site.beside(pathToFileURL(module).href).converge('apply')
    expect(output).toMatch(/2 to change[^]*Apply \d+ changes? to \d+ hosts?\? \[y\/N\][^]*Nothing was done\./)
    expect(code, output).toBe(130)
    expect(existsSync(site.box.path('/etc/converge'))).toBe(false)
  })

  it('is asked for the rollback of a server that an earlier run left unconfirmed, although nothing changes', async ({
    expect,
  }) => {
    await using site = await openLinuxBox(13_641)
    const module = join(site.folder, 'terminal.mjs')
    await writeFile(module, terminal)
    await site.inventory({})
    const timer = site.box.path('/etc/converge/deadman/t1.armed')
    await mkdir(timer, { recursive: true })
    const about = { service: 'flagship', runId: 'run-1', owner: 'ann', controller: 'laptop' }
    await writeFile(join(timer, 'about'), `${JSON.stringify(about)}\n`)
    const { code, output } = await site.beside(pathToFileURL(module).href).converge('apply')
    expect(output).toMatch(/Settle unconfirmed changes of earlier runs\? \[y\/N\][^]*Nothing was done\./)
    expect(code, output).toBe(130)
    expect(existsSync(timer)).toBe(true)
  })
})
