import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { RunReport, SmokeCheck } from '../../src/model/report.ts'
import { noPaint } from '../../src/report/paint.ts'
import { renderResumed } from '../../src/report/resumed-text.ts'
import { renderRun, renderSmoke } from '../../src/report/run-text.ts'

const check = (name: SmokeCheck['name'], more: Partial<SmokeCheck> = {}): SmokeCheck => ({
  name,
  ok: true,
  detail: '',
  ms: 12,
  ...more,
})

describe('a run in words', () => {
  it('does not say of an interrupted proof that the server does not work', () => {
    const skipped = { ok: false, skipped: 'the run was interrupted' } as const
    const checks = [check('co-run'), check('health', skipped), check('models', skipped)]
    expect(renderSmoke({ host: 'nas', service: 'coder', ok: false, checks }, noPaint)).toBe(
      '? coder  was not proved: co-run · skipped: health, models (the run was interrupted)',
    )
    const broken = [check('co-run'), check('health', { ok: false, detail: 'it is dead' })]
    expect(renderSmoke({ host: 'nas', service: 'coder', ok: false, checks: broken }, noPaint)).toContain('does not work')
  })

  it('says that there was nothing to prove', () => {
    const report: Partial<RunReport> = {
      verb: 'verify',
      exit_code: 0,
      hosts: [{ host: 'nas', reachable: true, actions: [], smoke: [] }],
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rest of a report is not read for its words
    expect(renderRun(report as RunReport, noPaint)).toContain('Done: nothing to prove')
  })

  it('says what became of the run that it goes on with, and what it left alone', () => {
    const report: RunReport = JSON.parse(readFileSync(new URL('../fixtures/schemas/report-resume.json', import.meta.url), 'utf8'))
    const { resumed } = report
    if (resumed === undefined) throw new Error('it goes on with nothing')
    expect(renderResumed(resumed, noPaint)).toBe(`Goes on with run 20260301T080000Z-7f3a01.
  in doubt: nas coder: start it
    ✔ it was done after all
  in doubt: nas coder: record what was applied to coder
    ! it was not done, or not wholly
  in doubt: box flagship: restart it
    ? whether it was done could not be seen
  · left alone, for that run was not to do it: nas/writer/restart, box/flagship/stop
  next: converge plan --limit nas,box`)
    expect(renderRun(report, noPaint)).toBe('Nothing is left to do of run 20260301T080000Z-7f3a01, and of none before it.\n')
  })
})
