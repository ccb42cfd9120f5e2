import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import pLimit from 'p-limit'
import { describe, type ExpectStatic, it, vi } from 'vitest'
import { launchctl } from '../../simulation/mac/launchctl.ts'
import type { Fault } from '../../simulation/mac/launchd.ts'
import { type Mac, startMac } from '../../simulation/mac/mac.ts'
import { executeGroup } from '../../src/apply/execute-group.ts'
import { parseJob } from '../../src/facts/parse-launchctl.ts'
import { sha256 } from '../../src/lib/digest.ts'
import * as acts from '../../src/managers/launchd/acts.ts'
import { agentStaysUp } from '../../src/managers/launchd/checks.ts'
import { plistText } from '../../src/managers/launchd/plist-text.ts'
import { keepPrevious, restorePrevious } from '../../src/managers/previous-copy.ts'
import type { Action } from '../../src/model/action.ts'
import type { ActionResult } from '../../src/model/report.ts'
import { redactedText } from '../../src/model/secret.ts'
import type { PutStep, Step } from '../../src/model/step.ts'
import { systemClock } from '../../src/time/clock.ts'
import { casesOf } from '../support/series.ts'
import { shTransport } from '../support/sh-transport.ts'

const label = 'com.example.coder'

/** An agent that runs with one context size and is to run with another; launchctl answers as the faults say meanwhile. */
interface Scene {
  readonly mac: Mac
  readonly place: acts.LaunchdTarget
  /** Does the change, rollback included. */
  change(faults: readonly Fault[]): Promise<ActionResult>
  /** The context size it runs with; null: nothing runs. */
  runs(): Promise<string | null>
}

/** @param patient watches for some seconds whether it stays up, as an action does */
async function setScene(port: number, patient = true): Promise<Scene & AsyncDisposable> {
  const mac = await startMac({ pace: 40 })
  const model = join(mac.home, 'm.gguf')
  await writeFile(model, 'GGUF')
  const log = join(mac.home, 'Library/Logs/converge/coder.log')
  await mkdir(join(log, '..'))
  const place = {
    domain: 'gui',
    label,
    ownershipLabel: label,
    path: join(mac.home, `Library/LaunchAgents/${label}.plist`),
    log,
    port,
    grace: 2,
  } as const
  const definition = (context: string): string =>
    redactedText(
      plistText([`converge: managed ${label}`], {
        Label: label,
        ProgramArguments: [mac.llamaServer, '--port', String(port), '--model', model, '--ctx-size', context],
        KeepAlive: { SuccessfulExit: false },
        StandardOutPath: log,
        StandardErrorPath: log,
      }),
    )
  const host = await macShell(mac)
  const context = { host: 'studio', transport: host, clock: systemClock, nonce: () => 'n0nce', emit: () => undefined }
  const old = definition('1024')
  await writeFile(place.path, old, { mode: 0o644 })
  await launchctl(mac.launchd, ['bootstrap', 'gui/501', place.path])
  await launchctl(mac.launchd, ['kickstart', `gui/501/${label}`])
  const { pid } = parseJob((await launchctl(mac.launchd, ['print', `gui/501/${label}`])).out ?? '')
  const put: PutStep = {
    do: 'put',
    label: 'write',
    guards: [],
    path: place.path,
    content: [definition('2048')],
    mode: 0o644,
    folderMode: 0o755,
  }
  const steps: readonly Step[] = [keepPrevious([place.path], sha256(old)), put, acts.reload(place, [])]
  const group = {
    action: 'studio/coder/update',
    service: 'coder',
    precheck: [],
    steps,
    postcheck: patient ? [agentStaysUp(place, log)] : [],
    undo: [restorePrevious([place.path], sha256(old)), acts.runAsBefore(place, pid ?? 0)],
  }
  return {
    mac,
    place,
    change: (faults) => {
      mac.launchd.settings.faults.push(...faults)
      return executeGroup(action, group, context)
    },
    runs: async () => {
      const job = parseJob((await launchctl(mac.launchd, ['print', `gui/501/${label}`])).out ?? '')
      return job.pid === null ? null : (job.arguments.at(-1) ?? null)
    },
    [Symbol.asyncDispose]: async () => {
      await host[Symbol.asyncDispose]()
      await mac[Symbol.asyncDispose]()
    },
  }
}

const action: Action = {
  id: 'studio/coder/update',
  host: 'studio',
  service: 'coder',
  kind: 'update',
  manager: 'launchd',
  risk: 'disruptive',
  reason: 'It is requested.',
  changes: [],
  downtime: 'seconds',
  interrupts: true,
  starts: true,
  relies_on: {},
}

const always = 1000

/** It needs three seconds to end, and launchd would kill it after one and a half. */
describe.concurrent('an agent that takes its time to end', { timeout: 60_000 }, () => {
  it.for([
    ['is loaded anew', (place: acts.LaunchdTarget) => acts.reload({ ...place, killedEarly: true }, [])],
    ['is restarted', (place: acts.LaunchdTarget) => acts.restartInPlace(place, [])],
    ['is unloaded', (place: acts.LaunchdTarget) => acts.removeAgent({ ...place, killedEarly: true }, [])],
  ] as const)('is not killed when it %s', async ([, act], { expect }) => {
    await using scene = await setSlowScene()
    const result = await scene.do(act(scene.place))
    expect(result).toMatchObject({ status: 'applied' })
    expect(await readFile(scene.place.log, 'utf8')).toMatch(/^ended by itself$/m)
  })

  it('is killed otherwise', async ({ expect }) => {
    await using scene = await setSlowScene(60)
    await scene.do(acts.removeAgent(scene.place, []))
    expect(await readFile(scene.place.log, 'utf8')).not.toMatch(/ended/)
  })
})

async function setSlowScene(endsAfterS = 3) {
  const mac = await startMac({ pace: 40 })
  const log = join(mac.home, 'Library/Logs/converge/coder.log')
  await mkdir(join(log, '..'))
  const place = {
    domain: 'gui' as const,
    label,
    ownershipLabel: label,
    path: join(mac.home, `Library/LaunchAgents/${label}.plist`),
    log,
    port: 59_871,
    grace: 8,
  }
  const definition = plistText([`converge: managed ${label}`], {
    Label: label,
    ProgramArguments: [
      '/bin/sh',
      '-c',
      `trap 'sleep ${endsAfterS}; echo ended by itself; exit 0' TERM; echo up; while :; do sleep 0.2; done`,
    ],
    ExitTimeOut: 60,
    KeepAlive: { SuccessfulExit: false },
    StandardOutPath: log,
    StandardErrorPath: log,
  })
  await writeFile(place.path, redactedText(definition), { mode: 0o644 })
  const host = await macShell(mac)
  await launchctl(mac.launchd, ['bootstrap', 'gui/501', place.path])
  await launchctl(mac.launchd, ['kickstart', `gui/501/${label}`])
  await vi.waitFor(async () => {
    if (!(await readFile(log, 'utf8')).includes('up')) throw new Error('not up yet')
  }, 60_000)
  const context = { host: 'studio', transport: host, clock: systemClock, nonce: () => 'n0nce', emit: () => undefined }
  const group = { action: action.id, service: 'coder', precheck: [], postcheck: [], undo: [] }
  return {
    place,
    do: (step: Step): Promise<ActionResult> => executeGroup(action, { ...group, steps: [step] }, context),
    [Symbol.asyncDispose]: async () => {
      await host[Symbol.asyncDispose]()
      await mac[Symbol.asyncDispose]()
    },
  }
}

function macShell(mac: Mac) {
  const variables = Object.entries(mac.environment).map(([name, value]) => `${name}=${value}`)
  return shTransport(['/usr/bin/env', '-i', ...variables, '/bin/sh'])
}

describe.concurrent('an agent that is reloaded', { timeout: 240_000 }, () => {
  it.for<[string, Fault, ActionResult['status'], string | null]>([
    ['bootout says that there is no such process', { verb: 'bootout', code: 3, times: 1 }, 'applied', '2048'],
    ['bootout is still at it', { verb: 'bootout', code: 36, times: 2 }, 'applied', '2048'],
    ['bootout is done and says that it is not', { verb: 'bootout', code: 5, times: 1, done: true }, 'applied', '2048'],
    ['bootout is never done', { verb: 'bootout', code: 36, times: always }, 'failed', '1024'],
    ['bootstrap cannot yet', { verb: 'bootstrap', code: 5, times: 3 }, 'applied', '2048'],
    ['bootstrap is at it already', { verb: 'bootstrap', code: 37, times: 1, done: true }, 'applied', '2048'],
    ['bootstrap finds it there', { verb: 'bootstrap', code: 130, times: 1, done: true }, 'applied', '2048'],
    ['bootstrap thinks it disabled', { verb: 'bootstrap', code: 119, times: 2 }, 'applied', '2048'],
    ['bootstrap cannot for a long time', { verb: 'bootstrap', code: 5, times: 20 }, 'failed', '1024'],
    ['the session comes a moment late', { verb: 'bootstrap', code: 125, times: 2 }, 'applied', '2048'],
    ['bootstrap finds a file of it there', { verb: 'bootstrap', code: 17, times: 1, done: true }, 'applied', '2048'],
    ['bootstrap is called wrongly', { verb: 'bootstrap', code: 64, times: 20 }, 'failed', '1024'],
    ['the domain is missing for a moment', { verb: 'print', code: 112, times: 1 }, 'failed', '1024'],
    ['kickstart is at it already', { verb: 'kickstart', code: 37, times: 1, done: true }, 'applied', '2048'],
    ['kickstart may not', { verb: 'kickstart', code: 150, times: 2 }, 'applied', '2048'],
    ['enable is refused', { verb: 'enable', code: 112, times: 1 }, 'failed', '1024'],
    ['launchd does not answer for a moment', { verb: 'print', code: 125, times: 1 }, 'failed', '1024'],
  ])('%s', async ([name, fault, status, runs], { expect }) => {
    await using scene = await setScene(portOf(name))
    const result = await scene.change([fault])
    expect({ ...result, runs: await scene.runs() }).toMatchObject({ status, runs })
    expectOneAtATime(scene, expect)
  })

  it('is never left without a server, whatever launchctl answers', async ({ expect }) => {
    const limit = pLimit(25)
    const seen = await Promise.all(
      [tooMany, ...schedules].map((faults, index) =>
        limit(async () => {
          await using scene = await setScene(15_000 + index, false)
          const { status } = await scene.change(faults.map((fault) => ({ ...fault })))
          return { faults, status, runs: await scene.runs() }
        }),
      ),
    )
    expect(seen.filter(({ status, runs }) => runs !== (status === 'applied' ? '2048' : '1024'))).toEqual([])
    expect(new Set(seen.map(({ status }) => status))).toEqual(new Set(['applied', 'failed']))
  })
})

/** More than one load tries: such a change fails in any series. */
const tooMany = [
  { verb: 'bootstrap', code: 5, times: 9 },
  { verb: 'bootstrap', code: 125, times: 9 },
] as const

/** What launchctl was seen to answer, more often than a load tries and not as often as that and its rollback do together. */
const schedules = fc.sample(
  fc.array(
    fc.oneof(
      fc.record({
        verb: fc.constant('bootstrap'),
        code: fc.constantFrom(5, 37, 119, 125),
        times: fc.integer({ min: 1, max: 9 }),
      } as const),
      fc.record({
        verb: fc.constant('bootstrap'),
        code: fc.constantFrom(5, 37, 130),
        times: fc.constant(1),
        done: fc.constant(true),
      } as const),
      fc.record({
        verb: fc.constant('bootout'),
        code: fc.constantFrom(3, 5, 36, 37),
        times: fc.integer({ min: 1, max: 3 }),
      } as const),
      fc.record({
        verb: fc.constant('kickstart'),
        code: fc.constantFrom(37, 113, 150),
        times: fc.integer({ min: 1, max: 2 }),
      } as const),
    ),
    { minLength: 1, maxLength: 3 },
  ),
  { numRuns: casesOf({ short: 20, long: 200 }), seed: 5 },
)

/** Two never ran at a time. */
function expectOneAtATime({ mac }: Scene, expect: ExpectStatic): void {
  let running = 0
  for (const { event } of mac.launchd.events) {
    if (event === 'started') running += 1
    if (event === 'ended') running -= 1
    expect(running).toBeLessThanOrEqual(1)
  }
}

function portOf(name: string): number {
  return 15_100 + (Number.parseInt(sha256(name).slice(0, 6), 16) % 800)
}
