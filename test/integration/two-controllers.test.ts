import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeTinyModel } from '../lab/tiny-model.ts'
import { casesOf, seed as given } from '../support/series.ts'
import { type LinuxSite, openLinuxBox } from './linux-site.ts'
import type { Ended } from './mac-site.ts'

/** How often two people apply at the same time, and which times; in each four another one waits, and one dies. */
const rounds = casesOf({ short: 4, long: 25 })
const seed = given ?? Date.now() % 100_000
const port = 13_700

/** Park and Miller's generator: the same seed, the same rounds. */
function randomFrom(start: number): () => number {
  let state = (start % 2_147_483_646) + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** Either of them: whether she waits for the other one, and whether her machine is switched off in the middle. */
interface Person {
  readonly machine: string
  readonly waits: boolean
  readonly diesAfterMs?: number
}

interface LogEntry {
  readonly event: string
  readonly run_id: string
  readonly n: number
}

function entriesIn(log: string): readonly LogEntry[] {
  return log
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line))
}

/** The runs that acted, in order; consecutive entries of one run count once. */
function turnsIn(entries: readonly LogEntry[]): readonly string[] {
  const runs = entries.map(({ run_id }) => run_id)
  return runs.filter((run, index) => run !== runs[index - 1])
}

/** Each round goes on where the one before it ended. */
describe(`two people who apply at the same time from two machines (seed ${seed})`, () => {
  let site: LinuxSite
  const random = randomFrom(seed)
  /** So long does a round take; it is measured in the first one. */
  let wholeMs = 5000
  /** The process of who was switched off. */
  let dead: number | undefined

  beforeAll(async () => {
    site = await openLinuxBox(port)
    await writeTinyModel(site.box.path('/srv/models/m.gguf'))
  }, 60_000)

  afterAll(async () => {
    await site?.[Symbol.asyncDispose]()
  })

  const want = (ctx: number) =>
    site.inventory({
      coder: {
        kind: 'A',
        manager: 'systemd',
        port,
        host: '127.0.0.1',
        model: { path: '/srv/models/m.gguf' },
        executable: '/usr/local/bin/llama-server',
        ctx_size: ctx,
        api_key: { env: 'FLAGSHIP_KEY' },
        ready_timeout: 60,
        stop_timeout: 5,
      },
    })
  /** A file of converge's on the box; empty where it is not there. */
  const contentOf = async (name: string) => readFile(site.box.path(`/etc/converge/${name}`), 'utf8').catch(() => '')

  /** Two minutes after a machine was switched off: what it had sent has ended, and a lock that it held is dead. */
  async function bury(pid: number | undefined): Promise<void> {
    const owner = await contentOf('lock/owner')
    if (pid === undefined || !owner.includes(`"pid":${pid},`)) return
    const open = new Set<number>()
    for (const { event, run_id, n } of entriesIn(await contentOf('audit.log'))) {
      if (!owner.includes(`"runId":"${run_id}"`)) continue
      if (event === 'step-intended') open.add(n)
      if (event === 'step-ended') open.delete(n)
    }
    // What the dead run sent last may have been its release.
    if (open.size === 0) await writeFile(site.box.path('/etc/converge/lock/beat'), '1000000000\n').catch(() => undefined)
  }

  /** A moment in the middle of a run, from its first look to its last. */
  const someMoment = () => Math.round(random() * wholeMs)

  async function applyAs({ machine, waits, diesAfterMs }: Person): Promise<Ended> {
    await sleep(someMoment() / 10)
    const run = site.from(machine).begin('apply', '-y', ...(waits ? ['--lock-timeout', '5m'] : []))
    if (diesAfterMs !== undefined) {
      await sleep(diesAfterMs)
      run.kill('SIGKILL')
      dead = run.pid
    }
    return run.ended
  }

  /** All of them at the same time; a run that dies counts as dead as early as possible. */
  async function apply(people: readonly Person[]): Promise<readonly Ended[]> {
    const over = new AbortController()
    const burying = (async () => {
      for (; !over.signal.aborted; await sleep(300)) await bury(dead)
    })()
    const ended = await Promise.all(people.map(applyAs))
    over.abort()
    await burying
    return ended
  }

  it.for(Array.from({ length: rounds }, (_, index) => index + 1))('round %i', { timeout: 600_000 }, async (round) => {
    const ctx = 512 + 16 * (round % 2)
    await want(ctx)
    const waits = { anns: round % 4 === 2, bobs: round % 4 !== 1 }
    const dies = round % 4 === 3 ? { diesAfterMs: someMoment() } : {}
    const people: readonly Person[] = [
      { machine: 'anns', waits: waits.anns, ...dies },
      { machine: 'bobs', waits: waits.bobs },
    ]
    const began = Date.now()
    const ended = await apply(people)
    if (round === 1) wholeMs = Date.now() - began
    const codes = ended.map(({ code }) => code ?? 'died')
    const output = `round ${round}, seed ${seed}: ${JSON.stringify(people)} ended with ${codes.join(' and ')}`
    process.stdout.write(`${output}\n`)
    const everything = [output, ...ended.map((one) => one.output)].join('\n')
    const oneDied = codes.includes('died')
    assert.ok(oneDied || codes.includes(0), everything)
    for (const [index, { waits: patient, diesAfterMs }] of people.entries()) {
      // Who waited for one that died in the middle finds a host that is not as his plan had it.
      const isStale = oneDied && ended[index]?.output.includes('APPLY.STALE') === true
      const fit = [0, ...(patient ? [] : [8]), ...(diesAfterMs === undefined ? [] : ['died']), ...(isStale ? [5] : [])]
      assert.ok(fit.includes(codes[index] ?? 'died'), everything)
    }
    if (dead !== undefined) {
      const [next] = await apply([{ machine: 'anns', waits: true }])
      assert.equal(next?.code, 0, `${everything}\n${next?.output}`)
      dead = undefined
    }

    const plan = await site.converge('plan', '--detailed-exitcode')
    assert.equal(plan.code, 0, `${everything}\n${plan.output}`)
    const { main } = site.box.systemd.service('coder.service')
    expect(await readFile(`/proc/${main?.pid}/cmdline`, 'utf8')).toContain(`--ctx-size\0${ctx}\0`)
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200)
    const turns = turnsIn(entriesIn(await contentOf('audit.log')))
    expect(turns).toEqual([...new Set(turns)])
    const left = ['/etc/converge', '/etc/systemd/system'].flatMap((folder) =>
      readdirSync(site.box.path(folder), { recursive: true, encoding: 'utf8' }),
    )
    expect(left.filter((name) => /previous|\.converge\.|lock/.test(name))).toEqual([])
  })
})
