import type { Rule } from '../rule.ts'

/** The planner and other rules raise it when a fact that they need is unknown; see `factUnknown` in `words.ts`. */
export const factUnknownRule: Rule = {
  code: 'FACT.UNKNOWN',
  severity: 'refuse',
  title: 'A required fact could not be read.',
  explain:
    'Not installed, not permitted and truly empty are three different things. Where converge could not look, it does not guess: it refuses what ' +
    'depends on that fact, and continues with the rest. The refusal names the fact and the reason. Often the account lacks a right ' +
    '(`ansible_become: true`) or the host lacks a tool.',
  consentable: false,
}
