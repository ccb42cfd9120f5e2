import { expect, it } from 'vitest'
import { type AuditEvent, auditLine } from '../../src/apply/audit-log.ts'
import { journal } from '../../src/facts/journal.ts'
import { known } from '../../src/model/observed.ts'
import { question } from '../facts/question-with.ts'

/** One of each: the compiler asks for one that is new. */
const events: { readonly [Name in AuditEvent['event']]: Extract<AuditEvent, { event: Name }> } = {
  'run-begun': { event: 'run-begun', owner: 'ann', controller: 'desk', version: '0.1.0' },
  'lock-taken-over': { event: 'lock-taken-over', note: 'bob on laptop' },
  'lock-removed': { event: 'lock-removed', note: 'bob on laptop' },
  'consent-used': { event: 'consent-used', code: 'WARM.RESTART', service: 'coder', reason: 'agreed' },
  'step-intended': { event: 'step-intended', n: 1, service: 'coder', step: 'start it' },
  'step-ended': { event: 'step-ended', n: 1 },
  'service-settled': { event: 'service-settled', service: 'coder' },
  'run-ended': { event: 'run-ended' },
}

it.each(Object.values(events))('the log with $event in it can be read', (event) => {
  const text = `state there\n|${auditLine('r1', event)}0}\n`
  expect(journal.parse(known({ status: 0, text, stderr: '' }), { question: question() }).known).toBe(true)
})
