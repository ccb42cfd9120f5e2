import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LaunchdJob } from '../../src/facts/parse-launchctl.ts'
import { type MacSite, openMac } from './mac-site.ts'

/** What is seen of an agent; `code` is that of `launchctl print`. */
type Seen = Partial<LaunchdJob & { readonly code: number }>

/** One transition of an agent, and what brings it about. */
interface Row {
  readonly row: string
  /** Done by somebody or by the server itself; else the inventory asks for it, and `apply` does it. */
  readonly by?: (site: MacSite, pid: number) => Promise<void>
  readonly wants?: 'running' | 'stopped' | 'absent'
  readonly then: Seen
  /** Whether the process after it is another one than before. */
  readonly process?: 'another'
  /** It is not unloaded meanwhile: launchd goes on counting its runs. */
  readonly staysLoaded?: true
  /** What `plan --detailed-exitcode` ends with afterwards. */
  readonly plan: 0 | 2
}

const unloaded: Seen = { code: 113 }
const down: Seen = { code: 0, state: 'not running', pid: null }
const up: Seen = { code: 0, state: 'running' }

const rows: readonly Row[] = [
  { row: 'unloaded, load: it is loaded and does not run', wants: 'stopped', then: down, plan: 0 },
  { row: 'loaded and not running, start: it runs', wants: 'running', then: up, plan: 0 },
  { row: 'running, stop: it is loaded and does not run', wants: 'stopped', then: { ...down, lastExit: 0 }, plan: 0 },
  { row: 'loaded and not running, once more start', wants: 'running', then: up, plan: 0 },
  {
    row: 'running, ends unsuccessfully: launchd starts it again',
    by: async (_, pid) => void process.kill(pid, 'SIGKILL'),
    then: up,
    process: 'another',
    plan: 0,
  },
  {
    row: 'running with another key than its file has, kickstart: it is restarted and stays loaded',
    by: async (site) => {
      const file = join(site.mac.home, '.config/converge/keys/coder.key')
      const wanted = await readFile(file)
      await writeFile(file, 'another-key\n')
      await site.mac.launchd.kickstart('gui/501', 'com.example.coder', true)
      const refuses = () => fetch(`http://127.0.0.1:${site.port}/props`).then(({ status }) => status)
      await expect.poll(() => refuses().catch(() => 0)).toBe(401)
      await writeFile(file, wanted)
    },
    wants: 'running',
    then: up,
    process: 'another',
    staysLoaded: true,
    plan: 0,
  },
  {
    row: 'running, ends successfully: it is loaded and does not run, and the plan starts it',
    by: async (_, pid) => void process.kill(pid, 'SIGTERM'),
    then: { ...down, lastExit: 0 },
    plan: 2,
  },
  { row: 'loaded and not running, start: it runs again', wants: 'running', then: up, plan: 0 },
  { row: 'loaded, unload: it is unloaded', wants: 'absent', then: unloaded, plan: 0 },
]

describe('the states of an agent, through converge', { timeout: 120_000 }, () => {
  let site: MacSite
  beforeAll(async () => {
    site = await openMac(12_100)
  })
  afterAll(() => site[Symbol.asyncDispose]())

  it.each(rows)('$row', async ({ by, wants, then, process: which, staysLoaded, plan }) => {
    const before = await site.job()
    await by?.(site, before.pid ?? 0)
    if (wants !== undefined) {
      await site.inventory({ coder: site.coder({ state: wants }) })
      const applied = await site.converge('apply', '-y')
      expect(applied.code, applied.told).toBe(0)
    }
    const isAnother = (pid: number | null) => (which === 'another' ? pid !== before.pid : true)
    await expect
      .poll(async () => {
        const seen = await site.job()
        return isAnother(seen.pid) ? seen : 'the same process'
      })
      .toMatchObject(then)
    if (staysLoaded === true) expect((await site.job()).runs).toBeGreaterThan(before.runs ?? Number.POSITIVE_INFINITY)
    const planned = await site.converge('plan', '--detailed-exitcode')
    expect(planned.code, planned.told).toBe(plan)
  })
})
