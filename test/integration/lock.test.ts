import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { takeLock } from '../../src/apply/lock.ts'
import { runStep } from '../../src/apply/run-step.ts'
import { systemClock } from '../../src/time/clock.ts'
import { nonce } from '../apply/step-cases.ts'
import { shTransport } from '../support/sh-transport.ts'

const shells: readonly (readonly string[])[] = [['dash'], ['busybox', 'sh'], ['bash', '--posix'], ['bash']]

describe.each(shells.map((shell) => [shell.join(' '), shell] as const))('the lock under %s', (_name, shell) => {
  it('is taken, held, taken over from the dead, tested by every step, and given back', async () => {
    await using host = await shTransport(shell)
    const root = join(host.folder, 'a/b')
    const take = (token: string) =>
      takeLock({ transport: host, root, owner: 'op', controller: 'laptop', pid: 1, runId: 'r', token, clock: systemClock })
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

  it('left by a crash before it had an owner dies by its age', async () => {
    await using host = await shTransport(shell)
    mkdirSync(join(host.folder, 'lock'))
    const age = ['touch -d "@$(($(date +%s) - 300))" "$1"']
    await host.exec({ label: 'age', text: age, args: [join(host.folder, 'lock')], elevate: true, timeoutMs: 5000 })
    const who = { owner: 'op', controller: 'laptop', pid: 1, runId: 'r', token: 't', clock: systemClock }
    const lock = await takeLock({ transport: host, root: host.folder, ...who })
    expect(lock.note).toContain('gave no sign of life')
    await lock.release()
  })
})
