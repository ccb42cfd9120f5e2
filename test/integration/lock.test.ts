import { execFile, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type HostLock, takeLock } from '../../src/apply/lock.ts'
import { runStep } from '../../src/apply/run-step.ts'
import { sha256 } from '../../src/lib/digest.ts'
import { systemClock } from '../../src/time/clock.ts'
import { openTransport } from '../../src/transports/open-transport.ts'
import type { Transport } from '../../src/transports/transport.ts'
import { nonce } from '../apply/step-cases.ts'
import { hostAt } from '../support/host-at.ts'
import { thorough } from '../support/series.ts'
import { shTransport } from '../support/sh-transport.ts'
import { transportOptions } from '../support/transport-options.ts'

const shells: readonly (readonly string[])[] = [['dash'], ['busybox', 'sh'], ['bash', '--posix'], ['bash']]

const who = { owner: 'op', controller: 'laptop', pid: 1, runId: 'r', clock: systemClock, settleS: 0 }

const named = (some: readonly (readonly string[])[]) => some.map((shell) => [shell.join(' '), shell] as const)

it.each(named(shells))(
  'the lock under %s is taken, held, taken over from the dead, tested by every step, and given back',
  async (_name, shell) => {
    await using host = await shTransport(shell)
    const root = join(host.folder, 'a/b')
    const take = (token: string) => takeLock({ ...who, transport: host, root, token })
    const first = await take('first')
    await expect(take('second')).rejects.toMatchObject({ code: 'APPLY.LOCKED', why: expect.stringContaining('op@laptop') })
    writeFileSync(join(root, 'lock/beat'), `${Math.floor(Date.now() / 1000) - 300}\n`)
    const heir = await take('heir')
    expect(heir.note).toMatch(/op@laptop .* was silent for 3\d\d s/)

    const act = { do: 'run', label: 'act', guards: [], script: 'touch acted', args: [], timeoutMs: 30_000 } as const
    const context = { transport: host, clock: systemClock, nonce }
    expect(await runStep(act, { ...context, fence: first.fence })).toEqual({ kind: 'lock-lost' })
    expect(await runStep(act, { ...context, fence: heir.fence })).toBeUndefined()
    expect(await first.release()).toBeUndefined()
    expect(readdirSync(root)).toEqual(['lock'])
    expect(await heir.release()).toBeUndefined()
    expect(readdirSync(root)).toEqual([])
  },
)

it.each(named(shells.slice(1)))(
  'the lock under %s detects an unsafe folder, its age, and a holder that is proved dead',
  async (_name, shell) => {
    await using host = await shTransport(shell)
    const above = join(host.folder, 'shared')
    mkdirSync(join(above, 'converge/lock'), { recursive: true })
    chmodSync(above, 0o777)
    const root = join(above, 'converge')
    const request = { ...who, transport: host, root }
    await expect(takeLock({ ...request, root: join(above, 'new'), token: 't' })).rejects.toMatchObject({
      code: 'APPLY.LOCK_UNUSABLE',
      why: expect.stringMatching(/is writable by every user \(drwxrwxrwx/),
    })
    chmodSync(above, 0o755)
    utimesSync(join(root, 'lock'), Date.now() / 1000 - 300, Date.now() / 1000 - 300)
    const aged = await takeLock({ ...request, token: 'aged' })
    expect(aged.note).toContain('sent no heartbeat')
    await aged.release()
    await leftAtWork(root, 2)
    const began = Date.now()
    const heir = await takeLock({ ...request, token: 'heir', isProvedDead: async () => true })
    expect(Date.now() - began).toBeGreaterThan(1000)
    expect(await heir.release()).toBeUndefined()
    expect(readdirSync(root)).toEqual([])
  },
)

describe.each(named(thorough(shells)))('the lock under %s', (_name, shell) => {
  it.for([
    [
      'everybody may write above it',
      (folder) => chmodSync(folder, 0o777),
      /is writable by every user \(drwxrwxrwx/,
      /chmod go-w/,
    ],
    [
      'a group of others may',
      (folder) => (chownSync(folder, 0, 4321), chmodSync(folder, 0o775)),
      /is writable by its group/,
      /chmod g-w/,
    ],
    [
      'it belongs to another account',
      (folder) => chownSync(folder, 4321, 4321),
      /belongs to another account \(user 4321\)/,
      /ls -ldn/,
    ],
  ] as const satisfies readonly (readonly [string, (folder: string) => void, RegExp, RegExp])[])(
    'is not made where %s, and what to do is said',
    async ([, open, why, next]) => {
      await using host = await shTransport(shell)
      const above = join(host.folder, 'shared')
      mkdirSync(join(above, 'inside'), { recursive: true })
      symlinkSync(join(above, 'inside'), join(host.folder, 'link'))
      open(above)
      for (const root of [join(above, 'inside/converge'), join(host.folder, 'link/converge')]) {
        const refused = takeLock({ ...who, transport: host, root, token: 't' })
        await expect(refused).rejects.toMatchObject({
          code: 'APPLY.LOCK_UNUSABLE',
          why: expect.stringMatching(why),
          next: [expect.objectContaining({ command: expect.stringMatching(next) }), expect.stringContaining('converge_dir')],
        })
      }
      expect(readdirSync(join(above, 'inside'))).toEqual([])
    },
  )

  it.for([
    ['is sticky, as /tmp is', (folder) => chmodSync(folder, 0o1777)],
    ['belongs to a group of its own account', (folder) => (chownSync(folder, 0, 0), chmodSync(folder, 0o775))],
  ] as const satisfies readonly (readonly [string, (folder: string) => void])[])(
    'is made where the folder above it %s',
    async ([, open]) => {
      await using host = await shTransport(shell)
      const above = join(host.folder, 'shared')
      mkdirSync(above)
      open(above)
      const lock = await takeLock({ ...who, transport: host, root: join(above, 'converge'), token: 't' })
      expect(await lock.release()).toBeUndefined()
    },
  )

  it('left by a crash before it had an owner dies by its age', async () => {
    await using host = await shTransport(shell)
    mkdirSync(join(host.folder, 'lock'))
    const age = ['touch -d "@$(($(date +%s) - 300))" "$1"']
    await host.exec({ label: 'age', text: age, args: [join(host.folder, 'lock')], elevate: true, timeoutMs: 30_000 })
    const lock = await takeLock({ ...who, transport: host, root: host.folder, token: 't' })
    expect(lock.note).toContain('sent no heartbeat')
    await lock.release()
  })
})

describe.each(named(thorough(shells)))('the lock of a run that is proved dead, under %s', (_name, shell) => {
  it('is taken over although it sent a heartbeat just now', async () => {
    await using host = await shTransport(shell)
    const take = (token: string, more: object = {}) => takeLock({ ...who, transport: host, root: host.folder, token, ...more })
    const first = await take('first')
    const asked: string[] = []
    await expect(take('second', { isProvedDead: async () => false })).rejects.toMatchObject({ code: 'APPLY.LOCKED' })
    const heir = await take('heir', { isProvedDead: async (owner: string) => asked.push(owner) > 0 })
    expect(asked).toEqual([expect.stringContaining('"token":"first"')])
    expect(heir.note).toMatch(/the process of op@laptop \(process 1, run r, .* is gone/)
    expect(await first.release()).toBeUndefined()
    expect(await heir.release()).toBeUndefined()
    expect(readdirSync(host.folder)).toEqual([])
  })

  it('is waited for as usual if another run has it by then', async () => {
    await using host = await shTransport(shell)
    const first = await takeLock({ ...who, transport: host, root: host.folder, token: 'first' })
    const others: HostLock[] = []
    const changesHands = async () => {
      await first.release()
      others.push(await takeLock({ ...who, transport: host, root: host.folder, token: 'other', runId: 'another' }))
      return true
    }
    const late = takeLock({ ...who, transport: host, root: host.folder, token: 'late', isProvedDead: changesHands })
    await expect(late).rejects.toMatchObject({ code: 'APPLY.LOCKED', why: expect.stringContaining('run another') })
    await others[0]?.release()
  })

  it('is waited for as long as something of it runs', async () => {
    await using host = await shTransport(shell)
    await leftAtWork(host.folder, 3)
    const began = Date.now()
    const heir = await takeLock({ ...who, transport: host, root: host.folder, token: 'heir', isProvedDead: async () => true })
    expect(Date.now() - began).toBeGreaterThan(1500)
    expect(await heir.release()).toBeUndefined()
  })
})

it('the lock of a run that is proved dead is as it was where what it sent does not end', { timeout: 60_000 }, async () => {
  await using host = await shTransport()
  const { owner, beat, end } = await leftAtWork(host.folder, 60)
  const late = takeLock({ ...who, transport: host, root: host.folder, token: 'heir', isProvedDead: async () => true })
  await expect(late).rejects.toMatchObject({ code: 'APPLY.LOCKED' })
  end()
  expect(readFileSync(join(host.folder, 'lock/owner'), 'utf8')).toBe(owner)
  expect(readFileSync(join(host.folder, 'lock/beat'), 'utf8')).toBe(beat)
  expect(readdirSync(join(host.folder, 'lock')).toSorted()).toEqual(['beat', 'owner'])
})

/** A lock, and a shell as a step of its run has it, for so long. */
async function leftAtWork(root: string, seconds: number) {
  const owner = '{"owner":"op","token":"first"}\n'
  const beat = `${Math.floor(Date.now() / 1000) - 2}\n`
  mkdirSync(join(root, 'lock'), { recursive: true })
  writeFileSync(join(root, 'lock/owner'), owner)
  writeFileSync(join(root, 'lock/beat'), beat)
  const child = spawn('/bin/sh', ['-c', `: converge-acts-under-${sha256('first').slice(0, 16)}; sleep ${seconds}; :`], {
    detached: true,
  })
  const end = () => process.kill(-(child.pid ?? 0), 'SIGKILL')
  return { owner, beat, end }
}

describe('a lock that only seemed dead', () => {
  it('is taken over at once if its run is proved dead and none of its commands run', async () => {
    const root = await mkdtemp(join(tmpdir(), 'converge-lock-'))
    await using host = await openHere()
    const { settleS: _, ...request } = { ...who, transport: host, root }
    const token = `first${root.slice(-6)}`
    const tag = `converge-acts-under-${sha256(token).slice(0, 16)}`
    const first = await takeLock({ ...request, token })
    const script = `touch ${root}/acting; while :; do sleep 1; done`
    const act = { do: 'run', label: 'act', guards: [], script, args: [], timeoutMs: 60_000 } as const
    const acting = runStep(act, { transport: host, clock: systemClock, nonce, ...first })
    await expect.poll(() => existsSync(join(root, 'acting'))).toBe(true)
    expect(await processes()).toContain(tag)
    const began = Date.now()
    const heir = await takeLock({ ...request, token: 'heir', isProvedDead: async () => true })
    expect(Date.now() - began).toBeLessThan(20_000)
    expect(await processes()).not.toContain(tag)
    expect(await acting).toMatchObject({ kind: 'in-doubt' })
    expect(await heir.release()).toBeUndefined()
    await first.release()
    rmSync(root, { recursive: true })
  })

  it('is taken over once no command of its holder runs, whose step is in doubt', async () => {
    const root = await mkdtemp(join(tmpdir(), 'converge-lock-'))
    await using host = await openHere()
    const { settleS: _, ...request } = { ...who, transport: host, root }
    const first = await takeLock({ ...request, token: 'first' })
    const script = `touch ${root}/acting; while :; do sleep 1; done`
    const act = { do: 'run', label: 'act', guards: [], script, args: [], timeoutMs: 60_000 } as const
    const acting = runStep(act, { transport: host, clock: systemClock, nonce, ...first })
    await expect.poll(() => existsSync(join(root, 'acting'))).toBe(true)
    // What a clock that was set forward looks like, or a machine that was asleep.
    writeFileSync(join(root, 'lock/beat'), `${Math.floor(Date.now() / 1000) - 3600}\n`)
    const heir = await takeLock({ ...request, token: 'heir' })
    expect(await processes()).not.toContain(`${root}/acting`)
    expect(await acting).toMatchObject({ kind: 'in-doubt', why: expect.stringContaining('lost the lock') })
    expect(await runStep(act, { transport: host, clock: systemClock, nonce, ...first })).toEqual({ kind: 'lock-lost' })
    expect(await first.release()).toBeUndefined()
    expect(await heir.release()).toBeUndefined()
    expect(readdirSync(root)).toEqual(['acting'])
    rmSync(root, { recursive: true })
  })
})

/** This machine through the supervisor that every real transport has. */
async function openHere(): Promise<Transport & AsyncDisposable> {
  const transport = await openTransport(hostAt('here', { transport: 'local' }), transportOptions())
  return { ...transport, [Symbol.asyncDispose]: () => transport.close() }
}

async function processes(): Promise<string> {
  return (await promisify(execFile)('ps', ['-A', '-ww', '-o', 'args='], { maxBuffer: 1e8 })).stdout
}
