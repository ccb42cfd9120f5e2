import { holdsServer } from '../managers/holds-server.ts'
import type { ServiceState } from '../managers/manager.ts'
import type { FieldChange } from '../model/action.ts'
import { known, type Observed, type Unknown, unknown } from '../model/observed.ts'
import type { Finding } from '../policy/rule.ts'
import { factUnknown } from '../policy/words.ts'
import { noop, type Proposal } from '../schedule/proposal.ts'
import { shortDigest } from '../simulate/digest.ts'
import { newAction } from '../simulate/new-action.ts'
import type { ServiceCase } from '../simulate/service-case.ts'
import { leftoverChanges, recordLeft } from './propose-tidying.ts'

/** For `state: absent`: one action stops the server and removes everything that converge manages. */
export function proposeAbsent(subject: ServiceCase, state: ServiceState): Proposal {
  const running = holdsServer(state) || state.activity === 'failed'
  const keyFiles = keyFilesLeft(subject)
  if (!keyFiles.known) return { actions: [], findings: [keyFileUnknown(subject, keyFiles)] }
  const changes = [...leftOf(state, running), ...keyFiles.value, ...leftoverChanges(subject), ...recordLeft(subject)]
  if (changes.length === 0) return noop(subject, 'Absent, as desired.')
  const remove = newAction(subject, {
    kind: 'remove',
    reason: running
      ? 'The inventory says state: absent. The server stops, and its definition is removed.'
      : 'The inventory says state: absent. Its leftovers are removed.',
    changes,
    interrupts: holdsServer(state) || state.process !== null,
    reliesOn: { definition_digest: state.definitionDigest, process: state.process },
  })
  return { actions: [remove], findings: [] }
}

function leftOf(state: ServiceState, running: boolean): readonly FieldChange[] {
  const gone = { to: null, effect: 'none' } as const
  return [
    ...(running ? [{ field: 'state', from: state.activity, ...gone }] : []),
    ...(state.moves === undefined ? [] : [{ field: state.moves.field, from: state.moves.from, ...gone }]),
    ...(state.definitionDigest === null ? [] : [{ field: 'definition', from: shortDigest(state.definitionDigest), ...gone }]),
  ]
}

/** A key file is ours because it is in converge's own folder. If it cannot be observed, the removal is not planned. */
function keyFilesLeft({ facts, question }: ServiceCase): Observed<readonly FieldChange[]> {
  const seen = question.keyFiles.map(
    (path) => facts.keyFiles[path] ?? unknown('not-gathered', `the probe was not asked for ${path}`),
  )
  const unseen = seen.find((one) => !one.known)
  if (unseen !== undefined) return unseen
  const left = seen.filter((one) => one.known && one.value !== null)
  return known(left.map(() => ({ field: 'key_file', from: '***', to: null, effect: 'none' })))
}

function keyFileUnknown({ host, service }: ServiceCase, seen: Unknown): Finding {
  return factUnknown('The key file', seen, { host: host.name, decision: `whether a key of ${service.name} remains there` })
}
