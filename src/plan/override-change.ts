import { stableJson } from '../lib/stable-json.ts'
import type { ServiceState } from '../managers/manager.ts'
import type { Action, FieldChange } from '../model/action.ts'
import { overrideField } from '../model/operation.ts'
import { askedForWords, overrideWords } from '../policy/override-words.ts'
import type { Proposal } from '../schedule/proposal.ts'
import { recordedOverride } from '../simulate/effective-host.ts'
import { newAction } from '../simulate/new-action.ts'
import type { ServiceCase } from '../simulate/service-case.ts'

/** The host's record of a service holds its override: it changes with the last action, or with one of its own. */
export function withOverrideChange(subject: ServiceCase, state: ServiceState, proposal: Proposal): Proposal {
  const change = overrideChange(subject)
  const { actions, findings } = proposal
  if (change === undefined || findings.length > 0) return proposal
  const last = actions.findLast(({ kind }) => kind !== 'noop' && kind !== 'host-setting')
  if (last === undefined) {
    const settings = actions.filter(({ kind }) => kind === 'host-setting')
    return { actions: [recordOverride(subject, state, change), ...settings], findings }
  }
  const changed = { ...last, changes: [...last.changes, change] }
  return { ...proposal, actions: actions.map((action) => (action === last ? changed : action)) }
}

function overrideChange(subject: ServiceCase): FieldChange | undefined {
  const before = recordedOverride(subject.service, subject.facts)
  const { override: active } = subject.service
  if (active === undefined)
    return before === undefined ? undefined : { field: overrideField, from: overrideWords(before), to: null, effect: 'none' }
  const { inventory: _inventory, ...wanted } = active
  if (before !== undefined && stableJson(before) === stableJson(wanted)) return undefined
  const from = before === undefined ? null : overrideWords(before)
  return { field: overrideField, from, to: overrideWords(wanted), effect: 'none' }
}

function recordOverride(subject: ServiceCase, state: ServiceState, change: FieldChange): Action {
  return newAction(subject, {
    kind: 'update',
    reason: change.to === null ? 'In its desired state. An override has ended.' : askedForWords(subject),
    changes: [change],
    reliesOn: { definition_digest: state.definitionDigest, process: state.process },
  })
}
