import { converge } from '../../lib/next-command.ts'
import { ownMember } from '../../lib/own-member.ts'
import type { Rule } from '../rule.ts'

export const crashLoop: Rule = {
  code: 'CRASH.LOOP',
  severity: 'refuse',
  title: 'The server crashes at every start.',
  explain:
    'The supervisor has started the server again and again (at least four times), and it ended soon each time. Another start would end the same ' +
    'way. On a Mac each crash of a large server may also lose memory until the next boot. The evidence has the last lines of its log: correct what ' +
    'they say. A changed definition or key counts as a new attempt and is not refused, nor is a unit under systemd that failed more than an hour ago. If ' +
    'you corrected something else (the model, the program, the machine), approve the start (`--allow`). converge recognises a crash loop by the ' +
    'counters of launchd, systemd and the engine, and never by a single crash. Restarts that happened long ago do not count while the server runs.',
  consentable: true,
  checkAction({ action, before, host, service, state: { crashLoop: loop } }) {
    const isNew = action.kind === 'install' || action.kind === 'update'
    if (!action.starts || loop === undefined || isNew || ownMember(before.services, service.name)?.wrote === true) return []
    return [
      {
        why: `${service.name} on ${host.name} ${loop.words}. Its definition is the same, so it would crash again.`,
        evidence: loop.lastOutput.length === 0 ? ['its log was not readable'] : loop.lastOutput.map((line) => `its log: ${line}`),
        next: [
          'Correct the cause that its log shows, on the host or in the inventory.',
          converge(['plan', '--limit', host.name], { say: 'Then plan again, with --allow if the definition stays the same:' }),
        ],
      },
    ]
  },
}
