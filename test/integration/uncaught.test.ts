import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, it } from 'vitest'
import { openLinuxBox } from './linux-site.ts'

describe('an uncaught exception in the middle of a run', { timeout: 120_000 }, () => {
  it('ends it like an interrupt: with a report, without a lock, and the next run continues', async ({ expect }) => {
    await using site = await openLinuxBox(13_580)
    const module = join(site.folder, 'throws.mjs')
    await writeFile(module, "process.once('SIGUSR2', () => { throw new TypeError('of a library') })\n")
    // It loads for some seconds, in which the exception comes.
    await writeFile(site.box.path('/opt/kindb/serve.knobs.json'), JSON.stringify({ loadMs: 4000 }))
    await site.inventory({ flagship: site.flagship() })
    const run = site.beside(pathToFileURL(module).href).begin('apply', '-y')
    const starts = () => site.box.systemd.service('flagship.service').main !== undefined
    await expect.poll(starts).toBe(true)
    process.kill(run.pid ?? 0, 'SIGUSR2')

    const { code, stdout, output } = await run.ended
    expect(code, output).toBe(1)
    expect(output).toMatch(/This is a bug in converge[^]*TypeError: of a library/)
    expect(stdout, output).toMatch(/^next: converge resume [^]*^Interrupted: 2 applied/m)
    expect(existsSync(site.box.path('/etc/converge/lock'))).toBe(false)
    const next = await site.converge('apply', '-y')
    expect(next.code, next.output).toBe(0)
  })
})
