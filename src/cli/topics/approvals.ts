import { converge } from '../../lib/next-command.ts'
import { rules } from '../../policy/index.ts'
import type { Topic } from './topic.ts'

export const topic: Topic = [
  'converge refuses an unsafe action and does the rest. An approval overrules one refusal code. To give one on the command line:',
  {
    language: 'sh',
    code: converge(['apply', '--limit', 'box', '--allow', 'WARM.RESTART@flagship', '--reason', 'upgrade']).text(),
  },
  {
    head: ['Part', 'Meaning'],
    rows: [
      ['--allow CODE@SERVICE[@HOST]', 'the refusal code, as the plan prints it; SERVICE may be a glob'],
      ['--reason TEXT', 'the reason; plan and report show it'],
    ],
  },
  'An `--allow` that matches no refusal is an error. `-y` only answers the prompt of `apply`; it overrules no refusal. A playbook can hold approvals that expire:',
  {
    language: 'yaml',
    code: `- hosts: box
  approvals:
    - code: WARM.RESTART
      service: flagship
      reason: quarterly upgrade
      until: 2026-12-01T06:00:00Z`,
  },
  'Kind A is a GGUF server such as `llama-server`; Kind B is `coli serve`. A Kind B server is warm once it has completed a chat since it started.',
  'You can overrule these refusals:',
  {
    head: ['Code', 'Refused because'],
    rows: rules.filter(({ consentable }) => consentable).map(({ code, title }) => [code, title]),
  },
  'No other refusal can be overruled: change the inventory or the host. `converge explain CODE` says how.',
]
