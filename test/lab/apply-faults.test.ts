import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { executeGroup } from '../../src/apply/execute-group.ts'
import { type HostLock, takeLock } from '../../src/apply/lock.ts'
import type { RunEvent } from '../../src/model/event.ts'
import type { ActionResult } from '../../src/model/report.ts'
import type { Check, PutStep, RunStep, Step, StepGroup } from '../../src/model/step.ts'
import { systemClock } from '../../src/time/clock.ts'
import type { Transport } from '../../src/transports/transport.ts'
import { actionOf } from '../apply/actions.ts'
import { connect } from './connect.ts'
import { type LabHost, mustExec } from './host.ts'
import { type Lab, startLab } from './hosts.ts'
import { labHost, noLab } from './lab-hosts.ts'

const root = '/etc/converge-faults'
const nonce = () => randomUUID().replaceAll('-', '')

/** Says that it is there and takes its time, and as long as it is held, so that it can be hit in the middle. */
const dawdle = (step: number) =>
  `: >${root}/reached-${step}; sleep 1; for _ in 1 2 3 4 5 6 7 8 9; do [ -e ${root}/hold-${step} ] || break; sleep 1; done`

const run = (number: number, script: string): RunStep => ({
  do: 'run',
  label: `run ${number}`,
  guards: [],
  script: `${dawdle(number)}\n${script}`,
  args: [],
  timeoutMs: 20_000,
})

const put = (number: number, name: string, content: string): PutStep => ({
  do: 'put',
  label: `put ${number}`,
  guards: [],
  path: `${root}/files/${name}`,
  content: [content],
  mode: 0o644,
  folderMode: 0o755,
  validate: { script: dawdle(number), args: [] },
})

const holds = (label: string, script: string): Check => ({ label, script, args: [] })

/** Every kind of step, each of them slow; done twice it comes to the same. */
const steps: readonly Step[] = [
  put(0, 'one', `${'1'.repeat(5000)}\n`),
  run(1, `: >${root}/files/ran`),
  put(2, 'two', `${'2'.repeat(5000)}\n`),
  { do: 'delete', label: 'delete 3', guards: [holds('it may be deleted', dawdle(3))], path: `${root}/files/old` },
  {
    do: 'wait',
    label: 'wait 4',
    guards: [],
    until: holds('all is there', `${dawdle(4)}; [ -e ${root}/files/two ]`),
    timeoutMs: 20_000,
  },
]

const group = (only = steps, undo: readonly Step[] = []): StepGroup => ({
  action: 'faults/coder/update',
  service: 'coder',
  precheck: [holds('the folder is there', `[ -d ${root} ]`)],
  steps: only,
  postcheck: [],
  undo,
})

const who = { owner: 'op', controller: 'laptop', pid: 1, runId: 'r', settleS: 0 }

const lockOf = (transport: Transport, ttlS = 2) => takeLock({ transport, root, ...who, token: nonce(), clock: systemClock, ttlS })

describe.skipIf(noLab)('applying while the world falls apart', () => {
  let lab: Lab
  let host: LabHost

  beforeAll(async () => {
    lab = await startLab([{ name: 'faults', kind: 'box' }])
    host = lab.host('faults')
  })
  afterAll(() => lab?.stop())
  beforeEach(() =>
    mustExec(host, `rm -rf ${root} && mkdir -p ${root}/files && echo first >${root}/files/one && : >${root}/files/old`),
  )

  async function act(
    transport: Transport,
    lock: HostLock,
    what: StepGroup,
    onStep = (_index: number): void => undefined,
  ): Promise<ActionResult> {
    let index = 0
    const emit = (event: RunEvent) => {
      if (event.type === 'step-started') onStep(index++)
    }
    const { fence, watch } = lock
    const context = { host: host.name, transport, clock: systemClock, nonce, emit, fence, watch }
    return executeGroup(actionOf('faults', 'coder', 'update'), what, context)
  }

  const files = () =>
    mustExec(host, `cd ${root}/files && for f in .[!.]* *; do [ -f "$f" ] && printf '%s %s\\n' "$f" "$(wc -c <"$f")"; done; :`)

  /** Ends every SSH session of the host, as a cable that is pulled: no signal reaches what runs. */
  async function cutSessions(): Promise<void> {
    await mustExec(host, `for pid in $(pgrep -f '^sshd(-session)?: op'); do kill -KILL "$pid"; done; :`)
  }

  it.each(steps.map((step, index) => [step.label, index] as const))(
    'the connection is cut in the middle of "%s": in doubt, nothing half-written, and the next run ends well',
    async (label, index) => {
      const transport = await connect(host)
      const lock = await lockOf(transport)
      await mustExec(host, `: >${root}/hold-${index}`)
      const acting = act(transport, lock, group())
      await expect.poll(() => host.exec(`test -e ${root}/reached-${index}`).then((result) => result.exitCode)).toBe(0)
      await cutSessions()
      await mustExec(host, `rm -f ${root}/hold-${index}`)
      const result = await acting
      expect(result).toMatchObject({ status: 'failed', undone: 'not-possible', problem: { code: 'APPLY.IN_DOUBT' } })
      expect(result.done).toEqual(steps.slice(0, index).map((step) => step.label))
      expect(result.problem?.why).toContain(`"${label}"`)
      expect(await lock.release()).toMatchObject({ code: 'APPLY.LOCK_UNUSABLE' })
      await transport.close()
      for (const line of (await files()).split('\n').filter((text) => /^(one|two) /.test(text)))
        expect(line).toMatch(/^(one 6|one 5001|two 5001)$/)

      await using again = await connect(host)
      let next: HostLock | undefined
      await expect
        .poll(async () => (next = await lockOf(again).catch(() => undefined)) !== undefined, { interval: 500 })
        .toBe(true)
      if (next === undefined) throw new Error('no lock')
      expect(next.note).toContain('op@laptop')
      expect(await act(again, next, group())).toMatchObject({ status: 'applied' })
      expect(await next.release()).toBeUndefined()
      expect(await files()).toBe('one 5001\nran 0\ntwo 5001')
      expect(await mustExec(host, `ls -A ${root}`)).not.toContain('lock')
    },
  )

  it('a step whose shell is killed is a failure that is undone', async () => {
    await using transport = await connect(host)
    const lock = await lockOf(transport)
    const undo: RunStep = { ...run(9, ''), label: 'put it back', script: `echo first >${root}/files/one` }
    const result = await act(
      transport,
      lock,
      group([put(0, 'one', 'changed\n'), { ...run(1, ''), script: 'kill -KILL $$' }], [undo]),
    )
    expect(result).toMatchObject({ status: 'failed', done: ['put 0'], undone: 'restored' })
    expect(await mustExec(host, `cat ${root}/files/one`)).toBe('first')
    await lock.release()
  })

  it('a run that slept while another took over its lock changes nothing afterwards', async () => {
    await using sleeper = await connect(host)
    await using other = await connect(host)
    const lost = await lockOf(sleeper)
    await mustExec(host, `: >${root}/hold-1`)
    const result = await act(sleeper, lost, group(), (index) => {
      if (index !== 1) return
      // As if the sleeper's heart had stopped beating long ago.
      void host.exec(`sed -i 's/"token":"[^"]*"/"token":"of-another-run"/' ${root}/lock/owner; rm -f ${root}/hold-1`)
    })
    // Its fence sees the other run before a step, its watch during one.
    const code = expect.stringMatching(/^APPLY\.(LOCK_LOST|IN_DOUBT)$/)
    expect(result).toMatchObject({ status: 'failed', undone: 'not-possible', problem: { code } })
    // Whether the step that is about to begin still does is a matter of who comes first.
    expect(['put 0', 'put 0, run 1']).toContain(result.done.join(', '))
    expect(await mustExec(host, `ls ${root}/files`)).not.toContain('two')
    expect(await lost.release()).toBeUndefined()
    await expect(lockOf(other, 120)).rejects.toMatchObject({ code: 'APPLY.LOCKED' })
  })

  it('of two runs that come at once over SSH exactly one gets the lock', async () => {
    await using one = await connect(host)
    await using two = await connect(host)
    for (let round = 0; round < 10; round++) {
      const ends = await Promise.allSettled([lockOf(one, 120), lockOf(two, 120)])
      const won = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
      expect(won).toHaveLength(1)
      expect(ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))).toMatchObject([{ code: 'APPLY.LOCKED' }])
      for (const lock of won) await lock.release()
    }
  })

  it('works on BusyBox over dropbear as well', async () => {
    const small = labHost('busybox')
    await using transport = await connect(small, false)
    const home = '/home/op/converge-faults'
    const lock = await takeLock({
      transport,
      root: home,
      owner: 'op',
      controller: 'laptop',
      pid: 1,
      runId: 'r',
      token: nonce(),
      clock: systemClock,
    })
    const context = { host: small.name, transport, clock: systemClock, nonce, emit: () => undefined, fence: lock.fence }
    const write: PutStep = { ...put(0, '', 'text without an end'), path: `${home}/a/b.txt`, mode: 0o600 }
    const { validate: _, ...plain } = write
    const what = {
      ...group([plain]),
      precheck: [],
      postcheck: [holds('it is there', `[ "$(cat ${home}/a/b.txt)" = 'text without an end' ]`)],
    }
    expect(await executeGroup(actionOf('busybox', 'coder', 'update'), what, context)).toMatchObject({ status: 'applied' })
    expect(await lock.release()).toBeUndefined()
    expect(await mustExec(small, `find ${home}; ls -l ${home}/a/b.txt | cut -c1-10; rm -r ${home}`)).toBe(
      `${home}\n${home}/a\n${home}/a/b.txt\n-rw-------`,
    )
  })
})
