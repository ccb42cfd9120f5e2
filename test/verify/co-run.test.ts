import { describe, expect, it, vi } from 'vitest'
import { known, unknown } from '../../src/model/observed.ts'
import type { SimulatedResident } from '../../src/simulate/host-state.ts'
import { type CoRunView, judgeCoRun } from '../../src/verify/co-run.ts'

const coder = { name: 'coder', kind: 'A' } as const
const runs = known({ activity: 'running' } as const)
const settings = { smallRamGb: 32 }
const resident = (service: string | null, kind: SimulatedResident['kind'] = 'A'): SimulatedResident => ({
  service,
  kind,
  description: 'llama-server, pid 42, user op',
  startsAtBoot: false,
  rssBytes: 0,
  ownBytes: 0,
  dueBytes: known(0),
  mappedBytes: 0,
})
const host = (gib: number, ...residents: readonly SimulatedResident[]) => ({
  ramTotalBytes: known(gib * 2 ** 30),
  residents: known(residents),
})

describe('whether a Kind A is the only one where only one may be', () => {
  it.each([
    ['it is', coder, runs, host(24, resident('coder')), { ok: true, detail: 'it is the only one' }],
    ['another of the fleet runs', coder, runs, host(24, resident('coder'), resident('helper')), { ok: false }],
    ['an unmanaged server runs', coder, runs, host(24, resident('coder'), resident(null)), { ok: false }],
    ['a runner runs', coder, runs, host(24, resident('coder'), resident(null, 'runner')), { ok: false }],
    ['a Kind B runs', coder, runs, host(24, resident('coder'), resident('flagship', 'B')), { ok: true }],
    ['the machine is large', coder, runs, host(64, resident('coder'), resident('helper')), { ok: true }],
    [
      'it does not run, and so disturbs no server',
      coder,
      known({ activity: 'stopped' } as const),
      host(24, resident('helper')),
      { ok: true, skipped: 'it does not run' },
    ],
    [
      'its own process cannot be distinguished from others',
      coder,
      unknown('timed-out'),
      host(24, resident(null)),
      { ok: true, skipped: expect.stringMatching(/unknown/) },
    ],
    [
      'processes cannot be seen',
      coder,
      runs,
      { ...host(24), residents: unknown('not-permitted') },
      { ok: true, skipped: expect.stringMatching(/unknown/) },
    ],
  ] as const)('%s', async (_, service, own, state, verdict) => {
    expect(await judgeCoRun(service, async () => ({ own, ...state }), { settings, consented: false })).toMatchObject(verdict)
  })

  it('of a Kind B, nothing is looked at', async () => {
    const look = vi.fn<() => Promise<CoRunView>>()
    expect(await judgeCoRun({ name: 'flagship', kind: 'B' }, look, { settings, consented: false })).toMatchObject({ ok: true })
    expect(look).not.toHaveBeenCalled()
  })

  it('is overruled by approval, and says so', async () => {
    const seen = { own: runs, ...host(24, resident('coder'), resident('helper')) }
    expect(await judgeCoRun(coder, async () => seen, { settings, consented: true })).toMatchObject({
      ok: true,
      skipped: 'overruled by approval',
    })
  })
})
