import type { FieldChange } from '../model/action.ts'
import type { HostFacts } from '../model/facts.ts'
import type { Service } from '../model/fleet.ts'
import { mapObserved, type Observed } from '../model/observed.ts'
import { restartOf } from './compare-fields.ts'
import { startedBeforeKey } from './key-file.ts'

/**
 * Whether the running server holds another key than the wanted one: it refused ours on its protected path, or it started before
 * its key file was last written.
 *
 * @param startedAt seconds since the epoch by the host's clock
 */
export function compareKey(service: Service, facts: HostFacts, startedAt: number | undefined): Observed<readonly FieldChange[]> {
  const accepted = facts.http[service.name]
  const refused = accepted?.known === true && accepted.value.keyAccepted.known && !accepted.value.keyAccepted.value
  return mapObserved(startedBeforeKey(service, facts, startedAt), (older) => {
    if (!refused && !older) return []
    const from = refused ? 'another key: the server refuses the wanted one' : 'older than its key file'
    return [{ field: 'running.key', from, to: 'the wanted key', effect: restartOf(service.kind) }]
  })
}
