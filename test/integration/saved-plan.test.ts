import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type ExpectStatic, it } from 'vitest'
import { type LinuxSite, openLinuxBox } from './linux-site.ts'
import type { Ended } from './mac-site.ts'

// Side by side, for what they do most is wait; each has a box and a port of its own.

function actsOn(site: LinuxSite, expect: ExpectStatic) {
  const file = join(site.folder, 'plan.json')
  const ended = async (code: number, ...args: readonly string[]): Promise<Ended> => {
    const end = await site.converge(...args)
    expect(end.code, end.output).toBe(code)
    return end
  }
  return {
    file,
    ended,
    save: (code = 0, ...more: readonly string[]) => ended(code, 'plan', '--out', file, ...more),
    apply: (code = 0, ...more: readonly string[]) => ended(code, 'apply', file, '-y', ...more),
    edit: async (change: (text: string) => string) => writeFile(file, change(await readFile(file, 'utf8'))),
  }
}

/** There is a saved plan of an update, the restart for which is refused; a second one, with a playbook, has the approval. */
async function isDoneInPart(site: LinuxSite, { apply, ended }: ReturnType<typeof actsOn>, expect: ExpectStatic): Promise<void> {
  const approved = join(site.folder, 'approved.json')
  const playbook = join(site.folder, 'play.yaml')
  await writeFile(playbook, '- hosts: box\n  verify: health\n')
  await ended(0, 'plan', playbook, '--out', approved, '--allow', 'WARM.RESTART@flagship', '--reason', 'a test')
  await writeFile(playbook, '- hosts: box\n  verify: none\n')
  expect((await ended(7, 'apply', approved, '-y')).output).toContain('the playbook')
  await writeFile(playbook, '# what it says is the same\n- hosts: box\n  verify: health\n')
  // All of it that is not refused: the definition is written, the restart is left.
  const done = await apply(3)
  expect(done.output.split('--- stderr')[1]).toMatch(/ {2}converge apply -i \S+ --ssh-config \S+ --limit box --allow/)
  expect(await readFile(site.box.path('/etc/systemd/system/flagship.service'), 'utf8')).toContain('--ctx 8192')
  const { stdout } = await ended(0, 'apply', approved, '-y', '--json')
  const report = JSON.parse(stdout)
  expect(report.hosts[0].actions).toMatchObject([{ action: 'box/flagship/restart', status: 'applied' }])
  expect(report.plan.hosts[0].consented).toMatchObject([{ code: 'WARM.RESTART', consent: { reason: 'a test' } }])
  expect(report.second_plan).toMatchObject({ changes: 0 })
}

describe.concurrent('a saved plan', { timeout: 120_000 }, () => {
  it('is done as it was shown, once, from whatever machine, also after a run that did not get the lock', async ({ expect }) => {
    await using site = await openLinuxBox(13_590)
    const { save, apply, ended, file } = actsOn(site, expect)
    await site.inventory({ flagship: site.flagship() })
    expect((await save()).output).toMatch(/converge apply \S+plan\.json --ssh-config \S+$/)
    await ended(0, 'apply', '--check', file)
    // While another run holds the lock, nothing of it is done.
    const lock = site.box.path('/etc/converge/lock')
    await mkdir(lock, { recursive: true })
    await writeFile(join(lock, 'owner'), '{"token":"x"}\n')
    await writeFile(join(lock, 'beat'), `${Math.floor(Date.now() / 1000)}\n`)
    await apply(8)
    await rm(lock, { recursive: true })
    const { stdout } = await apply(0, '--json')
    expect(JSON.parse(stdout)).toMatchObject({ exit_code: 0, second_plan: { changes: 0 } })
    const again = (await apply(7, '--json')).stdout
    expect(again).toContain('"PLAN.USED"')
    expect(again).toContain('The plan has already been applied')

    // As if nothing had happened: the box looks the same again, and another machine comes with the same file.
    await site.inventory({ flagship: site.flagship({ state: 'absent' }) })
    await ended(0, 'apply', '-y', '--allow', 'WARM.RESTART@flagship', '--reason', 'a test')
    await site.inventory({ flagship: site.flagship() })
    const elsewhere = await site.from('another machine').converge('apply', file, '-y')
    expect(elsewhere.code, elsewhere.output).toBe(7)
    expect(elsewhere.output).toContain('A plan can be applied only once')
    expect(site.box.systemd.service('flagship.service').unit.loadState).toBe('not-found')
  })

  it('is not done where anything is another, in part if another did the rest, and contains its playbook and approvals', async ({
    expect,
  }) => {
    await using site = await openLinuxBox(13_591)
    const acts = actsOn(site, expect)
    const { save, apply, ended, edit, file } = acts
    await site.inventory({ flagship: site.flagship() })
    await ended(0, 'apply', '-y')
    await site.inventory({ flagship: site.flagship({ ctx: 8192 }) })
    const unit = site.box.path('/etc/systemd/system/flagship.service')
    const before = await readFile(unit, 'utf8')

    await save(3)
    await writeFile(unit, `${before}# by hand\n`)
    const stale = await apply(7)
    expect(stale.output).toContain('box/flagship/update: the definition changed')
    await writeFile(unit, before)

    await site.inventory({ flagship: site.flagship({ ctx: 16_384 }) })
    expect((await apply(7)).output).toMatch(/the inventory .* has changed\s+since/)
    await site.inventory({ flagship: site.flagship({ ctx: 8192 }) })

    await edit((text) => text.replace(/"tool": "[^"]*"/, '"tool": "0.0.9"'))
    expect((await apply(7)).output).toContain('was made by converge 0.0.9')
    await save(3)
    const saved = await readFile(file, 'utf8')
    await edit((text) => text.replace('16384', '1').replace('8192', '4096'))
    expect((await apply(7)).output).toContain('its content does not match its digest')
    await writeFile(file, saved.slice(0, 400))
    await apply(65)

    expect(await readFile(unit, 'utf8')).toBe(before)
    await writeFile(file, saved)
    await ended(64, 'apply', file, '-y', '--limit', 'box')
    await ended(64, 'apply', file, '-y', '--allow', 'WARM.RESTART@flagship', '--reason', 'more than was shown')
    await isDoneInPart(site, acts, expect)
  })
})
