import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import type { HostReport } from '../../src/model/report.ts'
import { casesOf, seed as given } from '../support/series.ts'
import { controllerRun, faults, openWorld, type RunEnded, type RunWanted, whatIs } from './two-runs-world.ts'

/** How often they meet, and which meetings. */
const meetings = casesOf({ short: 20, long: 500 })
const seed = given ?? Date.now() % 100_000

/** Park and Miller's generator: the same seed, the same meetings. */
function randomFrom(start: number): (below: number) => number {
  let state = (start % 2_147_483_646) + 1
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return Math.floor((state / 2_147_483_647) * below)
  }
}

const tally = { done: 0, locked: 0, waited: 0, 'taken over': 0, 'cut off': 0 }

/** What the run of a controller came to on one host; anything else than these is wrong. */
function outcome(report: HostReport): 'done' | 'locked' | 'cut off' {
  const { problem, actions, smoke, reachable } = report
  const statuses = actions.map(({ status }) => status)
  if (problem?.code === 'APPLY.LOCKED' && statuses.every((status) => status === 'not-run')) return 'locked'
  const done = statuses.every((status) => status === 'applied' || status === 'not-needed') && smoke.every(({ ok }) => ok)
  return reachable && problem === undefined && done ? 'done' : 'cut off'
}

/** The runs that acted, in order; consecutive entries of one run count once. */
function turns(names: readonly string[]): readonly string[] {
  return names.filter((name, index) => name !== names[index - 1])
}

describe.concurrent(`two controllers at the same hosts (seed ${seed})`, () => {
  it.for(Array.from({ length: meetings }, (_, index) => index))('meeting %i', { timeout: 120_000 }, async (index, { expect }) => {
    const random = randomFrom(seed * 1000 + index * 7919)
    random(2)
    await using world = await openWorld()
    const sameWish = random(2) === 0
    // Each kind of fault often enough, and in half of the meetings none.
    const kind = faults[index % (2 * faults.length)]
    const patience = (): Partial<RunWanted> => (random(2) === 0 ? {} : { lockTimeoutMs: 1_200_000 })
    const first: RunWanted = {
      runId: `a${index}`,
      wish: 'of-a',
      ...patience(),
      ...(kind === undefined ? {} : { fault: { kind, at: 1 + random(8) } }),
    }
    const second: RunWanted = { runId: `b${index}`, wish: sameWish ? 'of-a' : 'of-b', ...patience() }
    const later = async (wanted: RunWanted, ms: number) => {
      await sleep(ms)
      return controllerRun(world, wanted)
    }
    const ended = await Promise.all([later(first, random(120)), later(second, random(120))])
    const situation = JSON.stringify({ first, second, ended }, null, 1)

    for (const [n, wanted] of [first, second].entries()) {
      for (const report of ended[n]?.reports ?? []) {
        const came = outcome(report)
        tally[came] += 1
        const allowed = [
          'done',
          ...(wanted.lockTimeoutMs === undefined ? ['locked'] : []),
          ...(wanted.fault === undefined ? [] : ['locked', 'cut off']),
        ]
        expect(allowed, situation).toContain(came)
      }
      for (const note of ended[n]?.notes ?? []) tally[note.startsWith('took over') ? 'taken over' : 'waited'] += 1
    }

    const next = await controllerRun(world, { runId: `c${index}`, wish: 'at-last' })
    expect(next.reports.map(outcome), JSON.stringify(next, null, 1)).toEqual(['done', 'done'])
    const runs: Readonly<Record<string, RunEnded | undefined>> = {
      [first.runId]: ended[0],
      [second.runId]: ended[1],
      [`c${index}`]: next,
    }
    for (const host of world.hosts) {
      expect(whatIs(host), situation).toEqual(['at-last', 'at-last'])
      const diary = readFileSync(join(host, 'diary'), 'utf8')
      const lines = diary
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' '))
      for (const [run, , holder] of lines) expect(holder, `${diary}${situation}`).toBe(run)
      const acted = turns(lines.map(([run = '']) => run))
      expect(acted, `${diary}${situation}`).toEqual([...new Set(acted)])

      const log = readFileSync(join(host, 'converge/audit.log'), 'utf8')
      const entries: readonly { event: string; run_id: string; n: number }[] = log
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      const logged = turns(entries.map(({ run_id }) => run_id))
      expect(logged, `${log}${situation}`).toEqual([...new Set(logged)])
      for (const { event, run_id, n } of entries)
        if (event === 'step-intended') expect(runs[run_id]?.journalled, situation).toContain(n)
      expect(existsSync(join(host, 'converge/lock')), situation).toBe(false)
      expect(readdirSync(join(host, 'converge')).toSorted()).toEqual(['applied', 'audit.log'])
    }
  })
})

it('they got into each other’s way: one was kept out, one waited, one was cut off', ({ expect }) => {
  const counts = Object.entries(tally).map(([what, count]) => `${what} ${count}`)
  process.stdout.write(`${meetings} meetings at two hosts, seed ${seed}: ${counts.join(', ')}\n`)
  for (const what of ['locked', 'waited', 'cut off'] as const) expect(tally[what]).toBeGreaterThan(0)
})
