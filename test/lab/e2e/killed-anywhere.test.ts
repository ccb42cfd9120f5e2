import { setTimeout as sleep } from 'node:timers/promises'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { casesOf, seed as given } from '../../support/series.ts'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { command } from './converge.ts'
import { chat, nothingSentRuns } from './model-server.ts'
import { expectExit, kindA, machine, openSite, type Site } from './site.ts'

/** How often a run is killed, and where the series of moments begins. */
const kills = casesOf({ short: 2, long: 20 })
const seed = given ?? Date.now() % 100_000

/** What the server is changed to and from, so that every way of changing it is cut somewhere. */
const wishes: readonly { readonly port: number; readonly ctx_size: number; readonly key_delivery: string }[] = [
  { port: 9990, ctx_size: 2048, key_delivery: 'file' },
  { port: 9990, ctx_size: 1024, key_delivery: 'file' },
  { port: 9992, ctx_size: 1024, key_delivery: 'inline' },
  { port: 9990, ctx_size: 1024, key_delivery: 'inline' },
]

/** A run from its first look to its last takes about so long; it is measured before the first kill. */
let wholeMs = 10_000

/** Park and Miller's generator: the same seed, the same moments. */
function moments(from: number): () => number {
  let state = (from % 2_147_483_646) + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

describe.skipIf(noLab)(`apply, killed at ${kills} random moments (seed ${seed})`, () => {
  let lab: Lab
  let site: Site
  let nas: LabHost
  const want = (wish: Readonly<Record<string, unknown>>) => site.write({ nas: machine({ coder: kindA(wish) }) })

  beforeAll(async () => {
    lab = await startLab([{ name: 'nas', kind: 'nas' }])
    nas = lab.host('nas')
    site = await openSite(lab.sshConfigFile)
    await want(wishes[0] ?? {})
    expectExit(await site.run(['apply', '-y']), 0)
    await want(wishes[1] ?? {})
    const began = Date.now()
    expectExit(await site.run(['apply', '-y']), 0)
    wholeMs = Date.now() - began
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  async function killAfter(ms: number): Promise<void> {
    const [file = '', ...before] = command
    const options = { env: site.environment(), extendEnv: false, cwd: site.home, stdin: 'ignore', reject: false } as const
    const run = execa(file, [...before, ...site.arguments(['apply', '-y'])], options)
    await sleep(ms)
    run.kill('SIGKILL')
    await run
  }

  /** The watchdog waits for commands, or ends them, before the lock is dead; then no sign of life comes for two minutes. */
  async function twoMinutesLater(): Promise<void> {
    expect(await nothingSentRuns(nas)).toBe('')
    await mustExec(nas, 'if [ -d /etc/converge/lock ]; then echo 1000000000 >/etc/converge/lock/beat; fi')
  }

  it('converges each time with the next apply, answers, and has nothing left behind', { timeout: 900_000 }, async () => {
    const random = moments(seed)
    const rounds: string[] = []
    for (let round = 1; round <= kills; round += 1) {
      const wish = wishes[(round + 1) % wishes.length] ?? { port: 9990 }
      await want(wish)
      const ms = Math.round(random() * wholeMs * 1.1)
      await killAfter(ms)
      await twoMinutesLater()
      const next = await site.run(['apply', '-y'])
      rounds.push(`${round}: killed after ${ms} of ${wholeMs} ms, next apply ${next.exitCode}`)
      expectExit(next, 0)
      expect(await chat(nas, wish.port ?? 9990, 'coder')).toMatchObject({ status: 200 })
      expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
      const left = await mustExec(
        nas,
        `ls -d /etc/converge/lock /etc/converge/deadman/* 2>/dev/null; find /etc/converge -name '*previous*' -o -name '.*converge*'; docker ps -a --format '{{.Names}} {{.State}}'`,
      )
      expect(`${rounds.at(-1)}\n${left}`).toBe(`${rounds.at(-1)}\ncoder running`)
    }
    process.stdout.write(`${rounds.join('\n')}\n`)
  })
})
