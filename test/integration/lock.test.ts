import { execFile } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { takeLock } from '../../src/apply/lock.ts'
import { runStep } from '../../src/apply/run-step.ts'
import { systemClock } from '../../src/time/clock.ts'
import { openTransport } from '../../src/transports/open-transport.ts'
import type { Transport } from '../../src/transports/transport.ts'
import { nonce } from '../apply/step-cases.ts'
import { hostAt } from '../support/host-at.ts'
import { shTransport } from '../support/sh-transport.ts'
import { transportOptions } from '../support/transport-options.ts'

const shells: readonly (readonly string[])[] = [['dash'], ['busybox', 'sh'], ['bash', '--posix'], ['bash']]

const who = { owner: 'op', controller: 'laptop', pid: 1, runId: 'r', clock: systemClock, settleS: 0 }

describe.each(shells.map((shell) => [shell.join(' '), shell] as const))('the lock under %s', (_name, shell) => {
  it('is taken, held, taken over from the dead, tested by every step, and given back', async () => {
    await using host = await shTransport(shell)
    const root = join(host.folder, 'a/b')
    const take = (token: string) => takeLock({ ...who, transport: host, root, token })
    const first = await take('first')
    await expect(take('second')).rejects.toMatchObject({ code: 'APPLY.LOCKED', why: expect.stringContaining('op@laptop') })
    writeFileSync(join(root, 'lock/beat'), `${Math.floor(Date.now() / 1000) - 300}\n`)
    const heir = await take('heir')
    expect(heir.note).toMatch(/op@laptop .* was silent for 30\d s/)

    const act = { do: 'run', label: 'act', guards: [], script: 'touch acted', args: [], timeoutMs: 5000 } as const
    const context = { transport: host, clock: systemClock, nonce }
    expect(await runStep(act, { ...context, fence: first.fence })).toEqual({ kind: 'lock-lost' })
    expect(await runStep(act, { ...context, fence: heir.fence })).toBeUndefined()
    expect(await first.release()).toBeUndefined()
    expect(readdirSync(root)).toEqual(['lock'])
    expect(await heir.release()).toBeUndefined()
    expect(readdirSync(root)).toEqual([])
  })

  it.for([
    [
      'everybody may write above it',
      (folder) => chmodSync(folder, 0o777),
      /may be written by everybody there \(drwxrwxrwx/,
      /chmod go-w/,
    ],
    [
      'a group of others may',
      (folder) => (chownSync(folder, 0, 4321), chmodSync(folder, 0o775)),
      /may be written by a group/,
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
          next: [expect.stringMatching(next), expect.stringContaining('converge_dir')],
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
    await host.exec({ label: 'age', text: age, args: [join(host.folder, 'lock')], elevate: true, timeoutMs: 5000 })
    const lock = await takeLock({ ...who, transport: host, root: host.folder, token: 't' })
    expect(lock.note).toContain('gave no sign of life')
    await lock.release()
  })
})

describe('a lock that only seemed dead', () => {
  it('is had by the next one when nothing of its holder runs any more, whose step is in doubt', async () => {
    const root = await mkdtemp(join(tmpdir(), 'converge-lock-'))
    await using host = await openHere()
    const { settleS: _, ...request } = { ...who, transport: host, root }
    const first = await takeLock({ ...request, token: 'first' })
    const script = `touch ${root}/acting; while :; do sleep 1; done`
    const act = { do: 'run', label: 'act', guards: [], script, args: [], timeoutMs: 60_000 } as const
    const acting = runStep(act, { transport: host, clock: systemClock, nonce, ...first })
    await expect.poll(() => existsSync(join(root, 'acting')), { timeout: 30_000 }).toBe(true)
    // What a clock that was set forward looks like, or a machine that was asleep.
    writeFileSync(join(root, 'lock/beat'), `${Math.floor(Date.now() / 1000) - 3600}\n`)
    const heir = await takeLock({ ...request, token: 'heir' })
    expect(await processes()).not.toContain(`${root}/acting`)
    expect(await acting).toMatchObject({ kind: 'in-doubt', why: expect.stringContaining('lock was lost') })
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
  return (await promisify(execFile)('ps', ['-A', '-ww', '-o', 'args='])).stdout
}
