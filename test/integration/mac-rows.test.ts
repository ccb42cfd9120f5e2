import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, type ExpectStatic, expect as expectAny, it } from 'vitest'
import type { LaunchdJob } from '../../src/facts/parse-launchctl.ts'
import { type MacSite, openMac } from './mac-site.ts'

/** What is seen of an agent; `code` is that of `launchctl print`. */
type Seen = Partial<LaunchdJob & { readonly code: number }>

/** One transition of an agent, and what brings it about. */
interface Row {
  readonly row: string
  /** Done by a person or by the server itself; else the inventory requests it, and `apply` does it. */
  readonly by?: (site: MacSite, pid: number) => Promise<void>
  readonly wants?: 'running' | 'stopped' | 'absent'
  /** The desired server, if not a Kind A. */
  readonly program?: (site: MacSite) => Promise<string>
  readonly after: Seen
  /** Whether the process after it is another one than before. */
  readonly process?: 'another'
  /** It is not unloaded meanwhile: launchd goes on counting its runs. */
  readonly staysLoaded?: true
  /** What `plan --detailed-exitcode` ends with afterwards; an apply that succeeds has seen that it is 0. */
  readonly plan?: 0 | 2
}

const unloaded: Seen = { code: 113 }
const down: Seen = { code: 0, state: 'not running', pid: null }
const up: Seen = { code: 0, state: 'running' }

/** A program that only waits; asked for its version or its flags, as each look does, it says nothing. */
const program = (name: string, onTerm: string) => async (site: MacSite) => {
  const path = join(site.mac.home, 'bin', name)
  await writeFile(path, `#!/bin/sh\n${onTerm}\ncase $1 in --version | --help) exit 1 ;; esac\nwhile :; do sleep 0.1; done\n`)
  await chmod(path, 0o755)
  return path
}

/** A Kind A does the first until it has loaded its model, and the second from then on: which of both a stop finds is a matter of luck. */
const endedBySignal = program('ended-by-signal', 'trap - TERM')
const endsAtOnce = program('ends-at-once', "trap 'exit 0' TERM")

const rows: readonly Row[] = [
  {
    row: 'unloaded, load, its server is ended by the signal: it is unloaded, for launchd would start it again',
    wants: 'stopped',
    program: endedBySignal,
    after: unloaded,
  },
  {
    row: 'unloaded, load, its server ends successfully: it is loaded and does not run',
    wants: 'stopped',
    program: endsAtOnce,
    after: { ...down, lastExit: 0 },
  },
  { row: 'loaded and not running, start: it runs', wants: 'running', after: up },
  { row: 'running, stop: it is loaded and does not run', wants: 'stopped', after: { ...down, lastExit: 0 } },
  { row: 'loaded and not running, once more start', wants: 'running', after: up },
  {
    row: 'running, ends unsuccessfully: launchd starts it again',
    by: async (_, pid) => void process.kill(pid, 'SIGKILL'),
    after: up,
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
      await expectAny.poll(() => refuses().catch(() => 0)).toBe(401)
      await writeFile(file, wanted)
    },
    wants: 'running',
    after: up,
    process: 'another',
    staysLoaded: true,
  },
  {
    row: 'running, ends successfully: it is loaded and does not run, and the plan starts it',
    by: async (_, pid) => void process.kill(pid, 'SIGTERM'),
    after: { ...down, lastExit: 0 },
    plan: 2,
  },
  { row: 'loaded and not running, start: it runs again', wants: 'running', after: up },
  { row: 'loaded, unload: it is unloaded', wants: 'absent', after: unloaded },
]

describe('the states of an agent, through converge', { timeout: 120_000 }, () => {
  let site: MacSite
  beforeAll(async () => {
    site = await openMac(12_160)
  })
  afterAll(() => site[Symbol.asyncDispose]())

  const done = async (args: readonly string[], code: number, expect: ExpectStatic): Promise<void> => {
    const ended = await site.converge(...args)
    expect(ended.code, ended.output).toBe(code)
  }

  it.for(rows)('$row', async ({ by, wants, program: of, after, process: which, staysLoaded, plan }, { expect }) => {
    const before = await site.job()
    await by?.(site, before.pid ?? 0)
    if (wants !== undefined) {
      await site.inventory({ coder: site.coder({ state: wants, ...(of && { executable: await of(site) }) }) })
      await done(['apply', '-y'], 0, expect)
    }
    const seen = async () => {
      const job = await site.job()
      return which === 'another' && job.pid === before.pid ? 'the same process' : job
    }
    await expect.poll(seen).toMatchObject(after)
    // launchd has its process at once; until that is the server, a look finds a shell that is about to become it.
    const health = () => fetch(`http://127.0.0.1:${site.port}/health`).then(({ status }) => status)
    if (which === 'another') await expect.poll(() => health().catch(() => 0)).toBe(200)
    const counted = ((await site.job()).runs ?? 0) > (before.runs ?? 0)
    expect(counted || staysLoaded !== true).toBe(true)
    if (plan !== undefined) await done(['plan', '--detailed-exitcode'], plan, expect)
  })
})
