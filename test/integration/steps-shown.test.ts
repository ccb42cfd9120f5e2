import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { HostPlan, Plan } from '../../src/model/plan.ts'
import { recorder, unlikeShown } from '../support/sent-scripts.ts'
import { openMac } from './mac-site.ts'

it('what a Mac gets is what the plan showed, from the install over a rollback to the removal', { timeout: 240_000 }, async () => {
  await using folder = await recordings()
  await using site = await openMac(14_900, {}, [folder.record, folder.sent])
  const broken = join(site.mac.home, 'bin/llama-next')
  await copyFile(site.mac.llamaServer, broken)
  await writeFile(`${broken}.knobs.json`, JSON.stringify({ loadMs: 200, crash: 3 }))
  const next = { ctx_size: 2048 }
  const isDone = /^exit 0\n/
  const rounds: readonly Round[] = [
    { wants: {}, kinds: ['install', 'start'], says: isDone },
    { wants: next, kinds: ['update'], says: isDone },
    {
      wants: { ...next, executable: broken, ready_timeout: 10 },
      kinds: ['update'],
      says: /rolled back: the previous state is restored/,
      after: 'undo',
    },
    { wants: { ...next, state: 'stopped' }, kinds: ['stop'], says: isDone },
    { wants: { state: 'absent' }, kinds: ['remove'], says: isDone },
  ]
  for (const { wants, kinds, says, after = 'cleanup' } of rounds) {
    await site.inventory({ coder: site.coder(wants) })
    const [plan] = hostsOf((await site.converge('plan', '--json')).stdout)
    expect(plan?.actions.map(({ kind }) => kind)).toEqual(kinds)
    const undo = plan?.actions[0]?.steps?.undo ?? []
    expect(undo.length > 0 || after !== 'undo').toBe(true)
    await folder.empty()
    const applied = await site.converge('apply', '-y')
    expect(applied.output).toMatch(says)
    expect(applied.output).not.toContain('has gaps')
    expect(unlikeShown(plan as HostPlan, await folder.recorded(), ['k3y-of-the-mac'], after)).toEqual([])
  }
})

interface Round {
  readonly wants: object
  readonly kinds: readonly string[]
  /** What the output of `apply` has. */
  readonly says: RegExp
  /** What follows the steps. */
  readonly after?: 'undo'
}

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
