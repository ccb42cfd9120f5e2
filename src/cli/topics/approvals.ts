import { converge } from '../../lib/next-command.ts'
import { rules } from '../../policy/index.ts'
import type { Topic } from './topic.ts'

export const topic: Topic = [
  'converge refuses an unsafe action and does the rest. An approval overrules one refusal. Approve it on the command line:',
  {
    language: 'sh',
    code: converge(['apply', '--limit', 'box', '--allow', 'WARM.RESTART@flagship', '--reason', 'upgrade']).text(),
  },
  {
    head: ['Part', 'Meaning'],
    rows: [
      ['--allow CODE@SERVICE[@HOST]', 'the refusal, as the plan prints it; SERVICE may be a glob'],
      ['--reason TEXT', 'why; the plan and the report show it'],
    ],
  },
  'An `--allow` that matches no refusal is an error. `-y` answers the question of `apply` and overrules nothing. A playbook can hold approvals that expire:',
  {
    language: 'yaml',
    code: `- hosts: box
  approvals:
    - code: WARM.RESTART
      service: flagship
      reason: quarterly upgrade
      until: 2026-12-01T06:00:00Z`,
  },
  'You can approve these refusals:',
  {
    head: ['Code', 'Refused because'],
    rows: rules.filter(({ consentable }) => consentable).map(({ code, title }) => [code, title]),
  },
  'No approval overrules the others: change the inventory or the host. `converge explain CODE` says how.',
]
