import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'vitest'
import { parse, stringify } from 'yaml'
import { type LinuxSite, openLinuxBox } from './linux-site.ts'

const fleetOf = async (site: LinuxSite) => parse(await readFile(join(site.folder, 'fleet.yaml'), 'utf8'))

/** Has the inventory of the first site hold the box of the second as well, and its person know both. */
async function joined(one: LinuxSite, two: LinuxSite): Promise<void> {
  const [fleet, other] = [await fleetOf(one), await fleetOf(two)]
  fleet.all.hosts.second = other.all.hosts.box
  await writeFile(join(one.folder, 'fleet.yaml'), stringify(fleet))
  const configs = await Promise.all([one, two].map(({ sshConfig }) => readFile(sshConfig, 'utf8')))
  const known = configs.map((text) => /UserKnownHostsFile (\S+)/.exec(text)?.[1] ?? '').join(' ')
  await writeFile(one.sshConfig, (configs[0] ?? '').replace(/UserKnownHostsFile .*/, `UserKnownHostsFile ${known}`))
}

const entries = (site: LinuxSite) => readdirSync(join(site.state, 'locks')).filter((name) => name.endsWith('.json'))

it('two runs of an inventory about different hosts go on side by side; a third about one of them does not', {
  timeout: 180_000,
}, async ({ expect }) => {
  await using one = await openLinuxBox(13_720)
  await using two = await openLinuxBox(13_721)
  await one.inventory({ flagship: one.flagship() })
  await two.inventory({ flagship: two.flagship() })
  await joined(one, two)
  const runs = [one.begin('apply', '-y', '-l', 'box', '--json'), one.begin('apply', '-y', '-l', 'second', '--json')]
  await expect.poll(() => entries(one).length, { interval: 20 }).toBe(2)
  const third = await one.converge('apply', '-y')
  expect(third.code, third.output).toBe(8)
  expect(third.output).toMatch(/CONTROLLER\.LOCKED.*holds\s+the\s+lock\s+of\s+(box|second)\s.*--limit/s)
  for (const { ended } of runs) {
    const { code, output, stdout } = await ended
    expect(code, output).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ hosts: [{ smoke: [{ ok: true }] }], second_plan: { changes: 0 } })
  }
  expect(readdirSync(join(one.state, 'locks'))).toEqual([])
  const history = join(one.state, 'history')
  const kept = await Promise.all(
    readdirSync(history)
      .filter((name) => name.endsWith('.json'))
      .map(async (name) => JSON.parse(await readFile(join(history, name), 'utf8'))),
  )
  const about: string[] = kept.flatMap(({ overview }) => overview.hosts.map(({ host }: { host: string }) => host))
  expect(new Set(about)).toEqual(new Set(['box', 'second']))
  expect(about).toHaveLength(2)
  const whole = await one.converge('resume', '-y')
  expect(whole.code, whole.output).toBe(0)
  expect(whole.stdout).toContain('Nothing to resume')
})
