import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { HostPlan, Plan } from '../../src/model/plan.ts'
import { recorder, unlikeShown } from '../support/sent-scripts.ts'
import { openMac } from './mac-site.ts'

it('what a Mac gets is what the plan showed, from the install to the removal', { timeout: 240_000 }, async () => {
  await using folder = await recordings()
  await using site = await openMac(14_900, {}, [folder.record, folder.sent])
  const rounds = [
    [{ coder: site.coder() }, ['install', 'start']],
    [{ coder: site.coder({ ctx_size: 2048 }) }, ['update']],
    [{ coder: site.coder({ ctx_size: 2048, state: 'stopped' }) }, ['stop']],
    [{ coder: site.coder({ state: 'absent' }) }, ['remove']],
  ] as const
  for (const [services, kinds] of rounds) {
    await site.inventory(services)
    const planned = await site.converge('plan', '--json')
    const [plan] = hostsOf(planned.stdout)
    expect(plan?.actions.map(({ kind }) => kind)).toEqual(kinds)
    await folder.empty()
    const applied = await site.converge('apply', '-y')
    expect(applied.output).toMatch(/^exit 0\n/)
    expect(applied.output).not.toContain('has gaps')
    expect(unlikeShown(plan as HostPlan, await folder.recorded(), ['k3y-of-the-mac'])).toEqual([])
  }
})

it('the rollback of a server that does not work is what the plan showed', { timeout: 120_000 }, async () => {
  await using folder = await recordings()
  await using site = await openMac(14_910, {}, [folder.record, folder.sent])
  await site.inventory({ coder: site.coder() })
  expect((await site.converge('apply', '-y')).output).toMatch(/^exit 0\n/)
  const broken = join(site.mac.home, 'bin/llama-next')
  await copyFile(site.mac.llamaServer, broken)
  await writeFile(`${broken}.knobs.json`, JSON.stringify({ loadMs: 200, crash: 3 }))
  await site.inventory({ coder: site.coder({ executable: broken, ready_timeout: 10 }) })
  const [plan] = hostsOf((await site.converge('plan', '--json')).stdout)
  await folder.empty()
  const applied = await site.converge('apply', '-y')
  expect(applied.output).toContain('rolled back: the previous state is restored')
  expect(plan?.actions[0]?.steps?.undo.length).toBeGreaterThan(0)
  expect(unlikeShown(plan as HostPlan, await folder.recorded(), ['k3y-of-the-mac'], 'undo')).toEqual([])
})

function hostsOf(stdout: string): readonly HostPlan[] {
  const plan: Plan = JSON.parse(stdout)
  return plan.hosts
}

async function recordings() {
  const folder = await mkdtemp(join(tmpdir(), 'recorded-'))
  const [record, sent] = [join(folder, 'record'), join(folder, 'sent')]
  await writeFile(record, recorder)
  await chmod(record, 0o755)
  const empty = async () => {
    await rm(sent, { recursive: true, force: true })
    await mkdir(sent)
  }
  await empty()
  return {
    record,
    sent,
    empty,
    recorded: async () => Promise.all((await readdir(sent)).toSorted().map((name) => readFile(join(sent, name), 'utf8'))),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
