import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { proposedIgnores } from '../../src/drift/proposed-ignores.ts'
import type { DriftDocument } from '../../src/model/drift.ts'
import { renderDrift } from '../../src/report/drift-text.ts'
import { noPaint } from '../../src/report/paint.ts'
import { driftExit, failOnDefault } from '../../src/run/report-drift.ts'
import { loadSchemas } from '../schemas/documents.ts'
import { caseFiles } from '../support/case-files.ts'
import { type DriftCase, driftOf } from '../support/drift-case.ts'
import { soundKey } from '../support/scenario.ts'

/**
 * One case each, in `test/fixtures/drift/<case>.yaml`: a host as `DriftCase` describes it, and all its findings. A value that
 * is left out of a finding may be anything; `null` is nothing.
 */
interface Expected {
  readonly findings?: readonly Readonly<Record<string, unknown>>[]
  readonly not_compared?: readonly Readonly<Record<string, unknown>>[]
  /** Services compared with the inventory alone, and words of why. */
  readonly two_way?: Readonly<Record<string, string>>
  readonly ignored?: readonly Readonly<Record<string, unknown>>[]
  readonly stale?: readonly Readonly<Record<string, unknown>>[]
  readonly exit: number
  /** Words of the text that people read. */
  readonly says?: readonly string[]
  /** What is neither in the text nor in the document. */
  readonly hides?: readonly string[]
}

const validate = loadSchemas()('drift.schema.json')

const cases = caseFiles('drift', '*.yaml').map(({ file, text }) => {
  const { expect: expected, ...given }: DriftCase & { readonly expect: Expected } = parse(text)
  return { file, given, expected }
})

test.each(cases)('$file: $given.about', ({ given, expected }) => {
  const document: DriftDocument = JSON.parse(JSON.stringify(driftOf(given)))
  const [host] = document.hosts
  validate(document)
  expect(validate.errors ?? []).toEqual([])
  const { findings = [], not_compared = [], two_way = {}, ignored = [], stale = [], exit, says = [], hides = [] } = expected
  expect(host?.compared).toBe(given.unreachable === undefined)
  expect(host?.findings).toEqual(findings.map((one) => expect.objectContaining(one)))
  expect(host?.not_compared).toEqual(not_compared.map((one) => expect.objectContaining(one)))
  expect(host?.two_way).toEqual(Object.entries(two_way).map(([service, why]) => ({ service, why: expect.stringContaining(why) })))
  expect(host?.ignored).toEqual(ignored.map((one) => expect.objectContaining(one)))
  expect(document.stale_ignores).toEqual(stale.map((one) => expect.objectContaining(one)))
  expect(driftExit(document, failOnDefault)).toBe(exit)
  const text = renderDrift(document, noPaint)
  for (const words of says) expect(text.replaceAll(/\s+/g, ' ')).toContain(words)
  for (const words of [soundKey, ...hides]) {
    expect(text).not.toContain(words)
    expect(JSON.stringify(document)).not.toContain(JSON.stringify(words).slice(1, -1))
  }
})

test.each(cases)('$file: what is proposed for drift_ignore sets aside all that is not pending', ({ given }) => {
  const words = { reason: 'a test', owner: 'anna', until: '2026-12-01T06:00:00Z' }
  const proposed: { readonly drift_ignore?: DriftCase['ignore'] } | null = parse(proposedIgnores(driftOf(given), words))
  const { hosts, stale_ignores } = driftOf({ ...given, ignore: [...(given.ignore ?? []), ...(proposed?.drift_ignore ?? [])] })
  const left = hosts.flatMap(({ findings }) => findings).filter((one) => one.class !== 'pending')
  expect(left).toEqual([])
  expect(stale_ignores.filter(({ reason }) => reason === 'a test')).toEqual([])
})

test('an unmanaged server that was restarted is not a new finding, but another one is', () => {
  expect(digestBeside({ pid: 4242 })).toBe(digestBeside({ pid: 4343 }))
  expect(digestBeside({ program: 'ollama' })).not.toBe(digestBeside({ program: 'llama-server' }))
})

function digestBeside(resident: object): string {
  return driftOf({ about: 'an unmanaged server', services: { coder: {} }, facts: { residents: [{ user: 'anna', ...resident }] } })
    .digest
}
