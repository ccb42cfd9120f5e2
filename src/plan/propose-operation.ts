import { converge } from '../lib/next-command.ts'
import { holdsServer } from '../managers/holds-server.ts'
import type { ServiceState } from '../managers/manager.ts'
import { askedForWords, untilWords } from '../policy/override-words.ts'
import type { Finding } from '../policy/rule.ts'
import { noop, type Proposal } from '../schedule/proposal.ts'
import type { ServiceCase } from '../simulate/service-case.ts'
import { type DesiredFiles, desiredFiles } from './desired-files.ts'
import { forDown, restartAction, resumeAction } from './propose-running.ts'
import { proposeStopAlone } from './propose-stopped.ts'

/** The one action that a person asks for by name. The definition stays as it is on the host. */
export function proposeOperation(subject: ServiceCase, state: ServiceState): Proposal {
  if (state.definition === 'foreign') return refused(subject, 'has a definition that converge has not taken over.')
  return subject.service.state === 'stopped' ? proposeStop(subject) : proposeUp(subject, state)
}

/** Needs neither the key nor an up-to-date definition. */
function proposeStop(subject: ServiceCase): Proposal {
  const { override } = subject.service
  if (override !== undefined && !hasRecord(subject))
    return refused(subject, `was never applied, so the host has no record that could hold "${override.state}".`)
  const { actions, findings } = proposeStopAlone(subject)
  if (findings.length > 0) return { actions: [], findings }
  return actions.length === 0
    ? noop(subject, `Stopped already.${overrideNote(subject)}`)
    : withReason(subject, { actions, findings })
}

function hasRecord({ service, facts: { applied } }: ServiceCase): boolean {
  return applied.known && Object.hasOwn(applied.value, service.name)
}

/** A start or a restart. */
function proposeUp(subject: ServiceCase, state: ServiceState): Proposal {
  const desired = desiredFiles(subject, state)
  if ('why' in desired) return { actions: [], findings: [desired] }
  const pending = pendingWords(state, desired)
  if (pending !== undefined) return refused(subject, pending)
  if (!holdsServer(state)) return withReason(subject, forDown(subject, state, desired))
  if (subject.asked?.operation.verb === 'restart')
    return withReason(subject, { actions: [restartAction(subject, { state, desired, differs: [] })], findings: [] })
  if (state.activity === 'paused') return withReason(subject, { actions: [resumeAction(subject, state)], findings: [] })
  return noop(subject, `Running already${state.process === null ? '' : ` (pid ${state.process.pid})`}.${overrideNote(subject)}`)
}

/** An override of the same state is only kept where it differs from the inventory, and one that holds is not shortened. */
function overrideNote({ asked, service }: ServiceCase): string {
  if (service.override !== undefined) return ` It is to stay so ${untilWords(service.override)}.`
  return asked?.operation.override === undefined ? '' : ' The inventory wants it so, too, so there is nothing to keep until then.'
}

/** What only `apply` does. */
function pendingWords({ definitionDigest, moves }: ServiceState, { files }: DesiredFiles): string | undefined {
  if (moves !== undefined) return `moves from ${moves.field} ${moves.from ?? ''} to ${moves.to ?? ''} with the next apply.`
  if (definitionDigest === null) return 'is not installed.'
  const fields = [...new Set(files.changes.map(({ field }) => field))]
  return fields.length === 0 ? undefined : `would not start as the inventory says, because these differ: ${fields.join(', ')}.`
}

function refused({ service, host }: ServiceCase, why: string): Proposal {
  const finding: Finding = {
    code: 'OPERATION.CHANGE_PENDING',
    why: `${service.name} on ${host.name} ${why}`,
    evidence: [],
    next: [
      converge(['plan', '--limit', host.name, '--service', service.name], { say: 'See the change:' }),
      converge(['apply', '--limit', host.name, '--service', service.name], { say: 'Make it:' }),
    ],
  }
  return { actions: [], findings: [finding] }
}

function withReason(subject: ServiceCase, proposal: Proposal): Proposal {
  const { actions, findings } = proposal
  return { findings, actions: actions.map((action) => ({ ...action, reason: askedForWords(subject) })) }
}
