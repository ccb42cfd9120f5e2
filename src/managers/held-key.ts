import type { FieldChange } from '../model/action.ts'
import type { Service } from '../model/fleet.ts'
import type { Observed } from '../model/observed.ts'
import type { RunStep } from '../model/step.ts'
import { restartsCheaply } from '../servers/traits.ts'
import type { KeyBefore } from './key-file.ts'
import { forgetCopies, keepHeldKey } from './previous-copy.ts'

/**
 * Ends a write under a server that keeps running: deletes all backups, except the key of a Kind B that was started with another key than the
 * desired one. Its restart waits for approval, and until then requests use that key (`run/started-with.ts`).
 *
 * @param running what the running server differs in
 */
export function forgetUnderServer(
  definition: string,
  key: KeyBefore,
  { kind }: Pick<Service, 'kind'>,
  running: Observed<readonly FieldChange[]>,
): RunStep {
  const holdsAnother = !restartsCheaply(kind) && running.known && running.value.some(({ field }) => field === 'running.key')
  return holdsAnother ? keepHeldKey(definition, key.path) : forgetCopies(definition, key.path)
}
