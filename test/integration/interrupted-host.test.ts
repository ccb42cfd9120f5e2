import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, type ExpectStatic, it } from 'vitest'
import type { HostTask } from '../../src/apply/host-task.ts'
import { runHost } from '../../src/apply/run-host.ts'
import type { HostReport } from '../../src/model/report.ts'
import { systemClock } from '../../src/time/clock.ts'
import { openTransport } from '../../src/transports/open-transport.ts'
import type { Transport } from '../../src/transports/transport.ts'
import { actionOf } from '../apply/actions.ts'
import { nonce } from '../apply/step-cases.ts'
import { hostAt } from '../support/host-at.ts'
import { memoryJournal } from '../support/memory-journal.ts'
import { hasSshd, type Sshd, startSshd } from '../support/sshd.ts'
import { transportOptions } from '../support/transport-options.ts'

const kinds = ['ssh', 'openssh', 'local'] as const

/** A host with one action, of one step that takes minutes, and how it is interrupted. */
interface Scene extends AsyncDisposable {
  /** What its step has started: no other scene has the like. */
  readonly command: string
  readonly root: string
  readonly sshd: Sshd
  readonly transport: Transport
  readonly interrupt: AbortController
  readonly force: AbortController
  readonly report: Promise<HostReport>
}

let seconds = 7200

async function begin(kind: (typeof kinds)[number], expect: ExpectStatic): Promise<Scene> {
  const root = await mkdtemp(join(tmpdir(), 'converge-interrupt-'))
  const sshd = await startSshd()
  const host = kind === 'local' ? hostAt('testhost', { transport: kind }) : sshd.host({ transport: kind })
  const transport = await openTransport(host, transportOptions({ sshConfig: sshd.sshConfig }))
  const [interrupt, force] = [new AbortController(), new AbortController()]
  const action = actionOf('testhost', 'coder', 'update')
  const command = `sleep ${(seconds += 1)}`
  const script = `${command} & touch "$1/acting"; ${command}; touch "$1/never"`
  const undo = { do: 'delete', label: 'put back', guards: [], path: `${root}/acting` } as const
  const step = { do: 'run', label: 'act', guards: [], script, args: [root], timeoutMs: 3_600_000 } as const
  const group = { action: action.id, service: 'coder', precheck: [], steps: [step], postcheck: [], undo: [undo] }
  const task: HostTask = {
    host: 'testhost',
    transport,
    root: join(root, 'converge'),
    actions: [action],
    prepare: async () => [{ action, group, record: null }],
    verify: async (service) => ({ host: 'testhost', service, ok: true, checks: [] }),
  }
  const who = {
    runId: 'run-1',
    version: '0.0.0',
    owner: 'op',
    controller: 'laptop',
    pid: 1,
    clock: systemClock,
    emit: () => undefined,
  }
  const run = { ...who, journal: memoryJournal(), nonce, signal: interrupt.signal, force: force.signal }
  const report = runHost(task, 'smoke', run)
  await expect.poll(() => existsSync(join(root, 'acting'))).toBe(true)
  return {
    command,
    root,
    sshd,
    transport,
    interrupt,
    force,
    report,
    [Symbol.asyncDispose]: async () => {
      await transport.close()
      await sshd.stop()
      await rm(root, { recursive: true })
    },
  }
}

async function isRunning(command: string): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'args='], { maxBuffer: 1e8 })
  return stdout.split('\n').includes(command)
}

const inDoubt = {
  reachable: true,
  actions: [{ status: 'failed', done: [], undone: 'not-begun', problem: { code: 'APPLY.IN_DOUBT' } }],
  smoke: [],
}

describe.skipIf(!hasSshd).concurrent.each(kinds)('a host over %s that is interrupted twice', (kind) => {
  it('ends what is in flight, puts nothing back and gives the lock back', async ({ expect }) => {
    await using scene = await begin(kind, expect)
    await expect.poll(() => isRunning(scene.command)).toBe(true)
    scene.interrupt.abort()
    scene.force.abort()
    const started = Date.now()
    expect(await scene.report).toMatchObject(inDoubt)
    expect(Date.now() - started).toBeLessThan(20_000)
    await expect.poll(() => isRunning(scene.command)).toBe(false)
    expect(readdirSync(scene.root).toSorted()).toEqual(['acting', 'converge'])
    // The release is waited for three seconds, and ends on its own.
    await expect.poll(() => readdirSync(join(scene.root, 'converge'))).toEqual(['audit.log'])
  })

  it.skipIf(kind === 'local')('does not wait for one that stopped answering', async ({ expect }) => {
    await using scene = await begin(kind, expect)
    await scene.sshd.freezeConnections()
    scene.interrupt.abort()
    scene.force.abort()
    const started = Date.now()
    expect(await scene.report).toMatchObject(inDoubt)
    await scene.transport.close()
    expect(Date.now() - started).toBeLessThan(25_000)
  })
})
