import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, type ExpectStatic, it } from 'vitest'
import { takeLock } from '../../src/apply/lock.ts'
import {
  actNowStep,
  armStep,
  askTimer,
  type DisarmResult,
  disarm,
  disarmingUndo,
  noTimerArmed,
} from '../../src/apply/rollback-timer.ts'
import { askChecks, runStep } from '../../src/apply/run-step.ts'
import { systemClock } from '../../src/time/clock.ts'
import { nonce } from '../apply/step-cases.ts'
import { old, rollbackTimerScene } from '../support/rollback-timer-scene.ts'
import { thorough } from '../support/series.ts'
import { type ShTransport, shTransport } from '../support/sh-transport.ts'

const sh = promisify(execFile)
const shells: readonly (readonly string[])[] = [['dash'], ['busybox', 'sh'], ['bash', '--posix'], ['bash']]
const patient = { interval: 200 }

async function withDisk(work: (disk: string) => Promise<void>): Promise<void> {
  await using host = await shTransport()
  const disk = join(host.folder, 'disk')
  mkdirSync(disk)
  await sh('mount', ['-t', 'tmpfs', '-o', 'size=128k', 'tmpfs', disk])
  try {
    await work(disk)
  } finally {
    await sh('umount', ['-l', disk])
  }
}

function fill(disk: string): void {
  try {
    for (let n = 0; n < 200; n++) writeFileSync(join(disk, `ballast-${n}`), 'x'.repeat(4096))
  } catch {
    // Full.
  }
}

const lockOf = (transport: ShTransport, root: string, token: string, ttlS: number) =>
  takeLock({
    transport,
    root,
    token,
    ttlS,
    owner: 'op',
    controller: 'laptop',
    pid: 1,
    runId: 'r',
    clock: systemClock,
    settleS: 0,
  })

/** The timer waits as long as the lock is kept alive, and acts once its holder is silent. @returns whether the lock is still there then */
async function waitForSilence(
  expect: ExpectStatic,
  host: Awaited<ReturnType<typeof rollbackTimerScene>>,
  aliveMs: number,
): Promise<boolean> {
  const lock = await lockOf(host.transport, host.place.root, 'own', 4)
  await host.arm(expect, { patienceS: 6 })
  await host.replace(expect)
  await sleep(aliveMs)
  expect(host.states()).toEqual(['t1.armed'])
  host.transport.cut()
  await expect.poll(host.states, patient).toEqual(['t1.undone'])
  host.expectBack(expect)
  const isLocked = existsSync(host.at('lock'))
  await lock.release()
  return isLocked
}

describe.concurrent('a timer', { timeout: 180_000 }, () => {
  it.for(shells.slice(1).map((shell) => [shell.join(' '), shell] as const))(
    'under %s is called off, or waits for the lock to be silent, puts all back and takes it away',
    async ([, shell], { expect }) => {
      await using host = await rollbackTimerScene(shell)
      await host.arm(expect, { id: 't0' })
      expect(await disarm({ ...host.place, id: 't0' }, host.context)).toEqual({ kind: 'off' })
      expect(existsSync(host.at('deadman'))).toBe(false)
      expect(await waitForSilence(expect, host, 8_000)).toBe(false)
    },
  )
})

describe.concurrent.for(thorough(shells).map((shell) => [shell.join(' '), shell] as const))(
  'a timer under %s',
  { timeout: 180_000 },
  ([, shell]) => {
    it('that is called off in time does nothing, and nothing is left of it', async ({ expect }) => {
      await using host = await rollbackTimerScene(shell)
      await host.arm(expect)
      expect(host.states()).toEqual(['t1.armed'])
      expect(statSync(host.at('deadman')).mode & 0o777).toBe(0o700)
      expect(statSync(host.at('deadman/t1.armed')).mode & 0o777).toBe(0o700)
      expect(statSync(host.at('deadman/t1.armed/files')).mode & 0o777).toBe(0o600)
      expect(await askChecks('', [noTimerArmed(host.place.root)], host.context)).toMatchObject({ kind: 'guard' })
      await host.replace(expect)
      expect(await disarm(host.place, host.context)).toEqual({ kind: 'off' })
      // A run that missed the answer asks again.
      expect(await disarm(host.place, host.context)).toEqual({ kind: 'off' })
      expect(existsSync(host.at('deadman'))).toBe(false)
      expect(await askChecks('', [noTimerArmed(host.place.root)], host.context)).toBeUndefined()
      await expect.poll(host.isRunning, patient).toBe(false)
      expect(readFileSync(host.at('definition'), 'utf8')).toBe('new')
      expect(host.events()).toBe('')
    })

    it('restores definition, key and server without a sign of life', async ({ expect }) => {
      await using host = await rollbackTimerScene(shell)
      await host.arm(expect)
      await host.replace(expect)
      host.hurry(4)
      await expect.poll(host.states, patient).toEqual(['t1.undone'])
      host.expectBack(expect)
      expect(readdirSync(host.transport.folder).filter((name) => name.includes('converge-previous'))).toEqual([])
      expect(await disarm(host.place, host.context)).toEqual({ kind: 'not-off', state: 'undone' })
      await expect.poll(host.isRunning, patient).toBe(false)
    })

    it.for([
      ['before anything was written', 0],
      ['when the key alone was written', 1],
    ] as const)('puts back what there is where the run was gone %s', async ([, count], { expect }) => {
      await using host = await rollbackTimerScene(shell)
      await host.arm(expect)
      await host.replace(expect, count)
      host.hurry(4)
      await expect.poll(host.states, patient).toEqual(['t1.undone'])
      host.expectBack(expect)
    })

    it.for([
      ['changed the definition', (at) => writeFileSync(at('definition'), '# repaired by hand\n')],
      ['changed the key', (at) => writeFileSync(at('key'), 'my-key\n')],
      ['took the definition away', (at) => rmSync(at('definition'))],
      ['put a link in its place', (at) => (rmSync(at('key')), symlinkSync(at('elsewhere'), at('key')))],
    ] as const satisfies readonly (readonly [string, (at: (name: string) => string) => void])[])(
      'changes nothing if a person %s meanwhile',
      async ([, repair], { expect }) => {
        await using host = await rollbackTimerScene(shell)
        writeFileSync(host.at('elsewhere'), 'new')
        await host.arm(expect)
        await host.replace(expect)
        repair(host.at)
        const files = () => ['definition', 'key'].map((name) => existsSync(host.at(name)) && readFileSync(host.at(name), 'utf8'))
        const before = files()
        host.hurry(4)
        await expect.poll(host.states, patient).toEqual(['t1.spared'])
        expect(files()).toEqual(before)
        expect(host.events()).toBe('')
        expect(readFileSync(host.at('deadman/t1.spared/said'), 'utf8')).toMatch(/neither as it was nor as the run wrote it\n$/)
        // Digests of keys do not stay longer than they are needed.
        await expect.poll(() => existsSync(host.at('deadman/t1.spared/files'))).toBe(false)
        expect(await disarm(host.place, host.context)).toEqual({ kind: 'not-off', state: 'spared' })
      },
    )

    it('waits as long as the lock is kept alive, then takes it from a silent run', async ({ expect }) => {
      await using host = await rollbackTimerScene(shell)
      expect(await waitForSilence(expect, host, 14_000)).toBe(false)
    })

    it('leaves it to a run that took the dead lock over, for as long as that one lives', async ({ expect }) => {
      await using host = await rollbackTimerScene(shell)
      mkdirSync(host.at('lock'))
      writeFileSync(host.at('lock/owner'), '{"token":"dead"}\n')
      writeFileSync(host.at('lock/beat'), '1000000000\n')
      await host.arm(expect)
      await host.replace(expect)
      const next = await lockOf(host.transport, host.place.root, 'next', 4)
      host.hurry(6)
      await sleep(14_000)
      expect(host.states()).toEqual(['t1.armed'])
      expect(readFileSync(host.at('lock/owner'), 'utf8')).toContain('"next"')
      await next.release()
      await expect.poll(host.states, patient).toEqual(['t1.undone'])
      host.expectBack(expect)
    })

    it('acts at once on the order of the holder of the lock, even if the watching process is gone', async ({ expect }) => {
      await using host = await rollbackTimerScene(shell)
      const lock = await lockOf(host.transport, host.place.root, 'next', 120)
      await host.arm(expect)
      await host.replace(expect)
      host.kill()
      await expect.poll(host.isRunning, patient).toBe(false)
      expect(await askTimer(host.place, host.context)).toEqual({ kind: 'not-off', state: 'armed' })
      expect(await runStep(host.under(actNowStep(host.place, 'coder')), host.context)).toBeUndefined()
      await expect.poll(host.states, patient).toEqual(['t1.undone'])
      host.expectBack(expect)
      expect(existsSync(host.at('lock/owner'))).toBe(true)
      await lock.release()
    })

    it('and a run that cancels it: exactly one wins', async ({ expect }) => {
      await using host = await rollbackTimerScene(shell)
      const endings: DisarmResult['kind'][] = []
      for (let n = 0; n < 6; n++) {
        const id = `race${n}`
        const place = { ...host.place, id }
        writeFileSync(host.at('events'), '')
        await host.arm(expect, { id, undo: [{ ...host.undo[1], guards: [] }] })
        await runStep(host.under(actNowStep(place, 'coder')), host.context)
        await sleep(n * 400)
        const ending = await disarm(place, host.context)
        endings.push(ending.kind)
        const acted = host.states().some((name) => name.startsWith(`${id}.`))
        expect(acted).toBe(ending.kind === 'not-off')
        if (acted) await expect.poll(host.states, patient).toContain(`${id}.undone`)
        expect(host.events()).toBe(acted ? "again it's\n" : '')
      }
      expect(endings).toHaveLength(6)
    })

    it('does not start again what a rollback of the controller has started', async ({ expect }) => {
      await using host = await rollbackTimerScene(shell)
      await host.arm(expect)
      await host.replace(expect)
      const [restore, restart] = disarmingUndo(host.undo, host.place)
      expect(restart && (await runStep(restart, host.context))).toMatchObject({ kind: 'guard' })
      expect(host.states()).toEqual(['t1.armed'])
      for (const step of [restore, restart]) expect(step && (await runStep(step, host.context))).toBeUndefined()
      expect(host.states()).toEqual([])
      await expect.poll(host.isRunning, patient).toBe(false)
      host.expectBack(expect)
    })

    it('needs no room on the disk', async ({ expect }) => {
      await withDisk(async (disk) => {
        await using host = await rollbackTimerScene(shell, disk)
        mkdirSync(host.at('lock'))
        writeFileSync(host.at('lock/owner'), '{"token":"dead"}\n')
        writeFileSync(host.at('lock/beat'), '1000000000\n')
        await host.arm(expect)
        await host.replace(expect)
        host.hurry(6)
        fill(disk)
        await expect.poll(host.states, patient).toEqual(['t1.undone'])
        expect(readFileSync(host.at('definition'), 'utf8')).toBe(old)
        expect(readFileSync(host.at('key'), 'utf8')).toBe('old-key\n')
      })
    })

    it('gives up after a while what cannot be done, and says so', async ({ expect }) => {
      await using host = await rollbackTimerScene(shell)
      const failing = {
        ...host.undo[1],
        label: 'start it',
        guards: [],
        script: 'echo "once $2" >>"$1"; echo no room >&2; exit 1',
      }
      await host.arm(expect, { patienceS: 2, undo: [failing] })
      await expect.poll(host.states, patient).toEqual(['t1.failed'])
      expect(host.events()).toBe("once it's\n".repeat(3))
      expect(readFileSync(host.at('deadman/t1.failed/said'), 'utf8')).toContain('no room\nit stopped at "start it"\n')
    })

    it('ends a rollback that hangs, and all that it started', async ({ expect }) => {
      await using host = await rollbackTimerScene(shell)
      const args = [...host.undo[1].args, '98762']
      const hangs = { ...host.undo[1], guards: [], script: 'sleep 98761 & sleep "$3"', args, timeoutMs: 1000 }
      await host.arm(expect, { patienceS: 2, undo: [hangs] })
      await expect.poll(host.states, patient).toEqual(['t1.failed'])
      expect(readFileSync(host.at('deadman/t1.failed/said'), 'utf8')).toContain('it was ended after 11 s')
      await expect.poll(host.isRunning, patient).toBe(false)
    })

    it('that cannot be left there is not left half', async ({ expect }) => {
      await using host = await rollbackTimerScene(shell)
      const { args, ...step } = armStep(host.order, nonce)
      const broken = { ...step, args: args.with(2, 'exit 1\n') }
      expect(await runStep(broken, host.context)).toMatchObject({
        kind: 'exit',
        said: expect.stringContaining('did not start watching'),
      })
      expect(host.states()).toEqual([])
      await withDisk(async (disk) => {
        fill(disk)
        const full = armStep({ ...host.order, root: disk }, nonce)
        expect(await runStep(full, host.context)).toMatchObject({ kind: 'exit', said: expect.stringMatching(/no space/i) })
        expect(readdirSync(disk)).not.toContain('deadman')
      })
    })
  },
)
