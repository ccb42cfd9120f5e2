import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { HostPlan, Plan } from '../../src/model/plan.ts'
import { noPaint } from '../../src/report/paint.ts'
import { renderFetches } from '../../src/report/plan-fetch-text.ts'
import { renderPlan } from '../../src/report/plan-text.ts'

const planOf = (name: string): Plan =>
  JSON.parse(readFileSync(join(import.meta.dirname, `../fixtures/plan/${name}.plan.json`), 'utf8'))

function rendered(name: string, verbose = false): string {
  return planOf(name)
    .hosts.flatMap((host) => renderFetches(host, { paint: noPaint, verbose }))
    .join('\n')
}

describe('models that come from hubs', () => {
  test('are listed as far as they are missing', () => {
    expect(rendered('models-from-hubs')).toBe(`\
  ■ fetch coder, twin: stopped, 2 of 3 files, 1.5 GiB, 100 GiB free
  ↓ fetch by-hand: 1 file to verify
  ↓ fetch working: under way, 1 file, 3 GiB
  ? fetch gated: unknown  HUB.DENIED
      The hub answered 403.
      next: Accept its terms.
  ↓ fetch large: 1 file, 90 GiB, 100 GiB free
  ✗ fetch beside: refused, 1 file, 8 GiB, 100 GiB free  MODEL.NO_SPACE
      On nas, 8 GiB of /srv/models/beside.gguf and 91.5 GiB of other models are still missing (plus 5 % reserve), but 100 GiB are free on /srv.
      next: Free space there, or put model.path on another volume.`)
  })

  test('are all listed with --verbose', () => {
    expect(rendered('models-from-hubs', true)).toContain('  · fetch there: complete, 1 file, 2 GiB\n')
  })

  test('are listed without a hub', () => {
    expect(rendered('models-of-which-no-hub-was-asked', true)).toBe(`\
  · fetch coder: complete, 1 file, 2 GiB
  ↓ fetch other: not fetched yet
  ? fetch unseen: unknown  FACT.UNKNOWN
      On nas, /srv/models/unseen.gguf: the host was not asked what it has of it.
      next: converge fetch status --limit nas --service unseen`)
  })

  const quiet: HostPlan = { host: 'nas', reachable: true, actions: [], refusals: [], warnings: [], consented: [] }
  const [coder] = planOf('models-of-which-no-hub-was-asked').hosts[0]?.fetches ?? []

  test.each([
    ['complete', 'nas : ok=0\n'],
    ['due', 'nas\n  ↓ fetch coder'],
  ] as const)('which are %s, say of a host: %s', (state, words) => {
    if (coder === undefined) throw new Error('the plan has no model')
    const plan = { ...planOf('as-wanted'), hosts: [{ ...quiet, fetches: [{ ...coder, state }] }] }
    expect(renderPlan(plan, { paint: noPaint, verbose: false, steps: false })).toContain(words)
  })
})
