import type { ServiceState } from '../managers/manager.ts'
import type { FieldChange } from '../model/action.ts'
import { shortDigest } from './digest.ts'
import { newAction } from './new-action.ts'
import { noop, type Proposal } from './proposal.ts'
import { leftoverChanges, recordLeft } from './propose-tidying.ts'
import type { ServiceCase } from './service-case.ts'

/** Wanted: nothing left of what converge manages. One action: it stops what runs from the definition and takes that away. */
export function proposeAbsent(subject: ServiceCase, state: ServiceState): Proposal {
  const running = state.activity === 'running' || state.activity === 'failed'
  const changes = [...leftOf(state, running), ...keyFilesLeft(subject), ...leftoverChanges(subject), ...recordLeft(subject)]
  if (changes.length === 0) return noop(subject, 'Nothing of it is on the host, as wanted.')
  const remove = newAction(subject, {
    kind: 'remove',
    reason: running
      ? 'It is wanted absent: it is stopped and its definition removed.'
      : 'It is wanted absent: what is left of it is removed.',
    changes,
    interrupts: state.activity === 'running' || state.process !== null,
    reliesOn: { definition_digest: state.definitionDigest, process: state.process },
  })
  return { actions: [remove], findings: [] }
}

function leftOf(state: ServiceState, running: boolean): readonly FieldChange[] {
  const gone = { to: null, effect: 'none' } as const
  return [
    ...(running ? [{ field: 'state', from: state.activity, ...gone }] : []),
    ...(state.definitionDigest === null ? [] : [{ field: 'definition', from: shortDigest(state.definitionDigest), ...gone }]),
  ]
}

/** Its place says whose it is: converge's own folder. A place that could not be looked at is left to the next plan. */
function keyFilesLeft({ facts, question }: ServiceCase): readonly FieldChange[] {
  const left = question.keyFiles.filter((path) => {
    const seen = facts.keyFiles[path]
    return seen?.known === true && seen.value !== null
  })
  return left.map(() => ({ field: 'key_file', from: '***', to: null, effect: 'none' }))
}
