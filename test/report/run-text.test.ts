import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ActionResult, HostReport, RunReport, SmokeCheck } from '../../src/model/report.ts'
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

const result = (status: ActionResult['status']): ActionResult => ({ action: 'nas/coder/start', status, done: [], ms: 1 })
const smokeOf = (ok: boolean) => ({ host: 'nas', service: 'coder', ok, checks: [] })

const both = <T>(hosts: readonly T[]): readonly T[] => [
  ...hosts,
  JSON.parse(JSON.stringify(hosts[0]).replaceAll('studio', 'attic')),
]

/** The same once more on another host. */
function onTwoHosts(report: RunReport): RunReport {
  const { plan, hosts } = report
  return { ...report, hosts: both(hosts), ...(plan === undefined ? {} : { plan: { ...plan, hosts: both(plan.hosts) } }) }
}

describe('a run in words', () => {
  it('does not say of an interrupted proof that the server does not work', () => {
    const skipped = { ok: false, skipped: 'the run was interrupted' } as const
    const checks = [check('co-run'), check('health', skipped), check('models', skipped)]
    expect(renderSmoke({ host: 'nas', service: 'coder', ok: false, checks }, noPaint)).toBe(
      '? coder  not verified: co-run allowed · skipped: health, model listed (the run was interrupted)',
    )
    const broken = [check('co-run'), check('health', { ok: false, detail: 'it is dead' })]
    expect(renderSmoke({ host: 'nas', service: 'coder', ok: false, checks: broken }, noPaint)).toBe(
      '✗ coder  does not work: co-run allowed ✔ · health ✗\n    health: it is dead',
    )
  })

  it('says that there was nothing to prove', () => {
    const report: Partial<RunReport> = {
      verb: 'verify',
      exit_code: 0,
      hosts: [{ host: 'nas', reachable: true, actions: [], smoke: [] }],
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rest of a report is not read for its words
    expect(renderRun(report as RunReport, noPaint)).toContain('Done: nothing to verify')
  })

  it.each<[string, Partial<HostReport>, boolean]>([
    ['its turn never came', { actions: [result('not-run')] }, true],
    ['a step was the last', { actions: [result('applied'), result('failed')] }, true],
    ['its proof was cut off', { actions: [result('applied')], smoke: [smokeOf(false)] }, true],
    ['it could not be reached', { reachable: false }, true],
    ['all of it was done and proved', { actions: [result('applied'), result('not-needed')], smoke: [smokeOf(true)] }, false],
  ])('says how to resume an interrupted run, if on a host %s', (_, host, left) => {
    const rendered = (more: Partial<RunReport>): string => {
      const hosts = [{ host: 'nas', reachable: true, actions: [], smoke: [], ...host }]
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rest of a report is not read for its words
      return renderRun({ verb: 'apply', run_id: '20260301T080000Z-7f3a01', exit_code: 130, hosts, ...more } as RunReport, noPaint)
    }
    const next = 'next: converge resume 20260301T080000Z-7f3a01'
    expect(rendered({})).toMatch(/^Interrupted: /m)
    expect(rendered({}).includes(next)).toBe(left)
    expect([rendered({ exit_code: 5 }), rendered({ verb: 'verify' })].join('')).not.toContain(next)
  })

  it('says which services an interrupt has left down or in doubt, and the same thing once', async () => {
    const fixture = new URL('../fixtures/report/report-interrupted.json', import.meta.url)
    const report: RunReport = JSON.parse(readFileSync(fixture, 'utf8'))
    await expect(renderRun(report, noPaint)).toMatchFileSnapshot('../fixtures/report/report-interrupted.txt')
    const rendered = renderRun(onTwoHosts(report), noPaint)
    expect(rendered).toContain('DOWN: alpha on studio, alpha on attic\nUNKNOWN: beta on studio, beta on attic (')
    expect(rendered.match(/The rollback stopped at/g)).toHaveLength(1)
    expect(rendered.match(/^ *next: .*$/gm)).toEqual([expect.stringMatching(/^next: converge resume /)])
  })

  it.each([
    [['nas'], '1 refused, 1 unreachable. Only refused changes remain.'],
    [['box'], '1 refused, 1 unreachable. A second plan of the hosts that were checked again is empty.'],
    [['nas', 'box'], '2 refused, 1 unreachable. On the hosts that were checked again, only refused changes remain.'],
    [[], '1 unreachable. A second plan is empty.'],
  ])('reports what a second plan refuses on hosts that were observed again, if %j refuse', (refusing, words) => {
    const hosts = ['nas', 'box'].map((host) => ({
      host,
      refusals: refusing.filter((one) => one === host).map((code) => ({ code })),
    }))
    const report = {
      verb: 'apply',
      exit_code: 4,
      plan: {
        summary: { refusals: refusing.length },
        hosts: hosts.map((host) => ({ ...host, reachable: true, actions: [], consented: [] })),
      },
      hosts: [
        { host: 'nas', reachable: true, actions: [result('applied')], smoke: [] },
        { host: 'box', reachable: false, actions: [], smoke: [] },
      ],
      second_plan: { changes: 0, actions: [] },
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rest of a report is not read for its words
    expect(renderRun(report as unknown as RunReport, noPaint)).toContain(`Done: 1 applied, ${words}\n`)
  })

  it('reports the outcome of the resumed run, and what it left alone', () => {
    const report: RunReport = JSON.parse(readFileSync(new URL('../fixtures/schemas/report-resume.json', import.meta.url), 'utf8'))
    const { resumed } = report
    if (resumed === undefined) throw new Error('it goes on with nothing')
    expect(renderResumed(resumed, noPaint)).toBe(`Resumes run 20260301T080000Z-7f3a01.
  in doubt: nas coder: start it
    ✔ done
  in doubt: nas coder: record what was applied to coder
    ! not done, or only in part
  in doubt: box flagship: restart it
    ? unknown whether it was done
  · not part of this run: that run did not plan it, or completed it: nas/writer/restart, box/flagship/stop
  next: converge plan --limit nas,box`)
    expect(renderRun(report, noPaint)).toBe(
      'Nothing to resume: run 20260301T080000Z-7f3a01 and all runs before it are complete.\n',
    )
  })
})
