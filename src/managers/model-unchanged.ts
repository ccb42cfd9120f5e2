import type { Action } from '../model/action.ts'
import type { HostFacts, ModelPart } from '../model/facts.ts'
import type { Service } from '../model/fleet.ts'
import type { Platform } from '../model/names.ts'
import type { Check } from '../model/step.ts'

/**
 * The model files still have the size and time that the plan observed: a download in progress, or a replaced file, is no longer what the
 * rules judged. Empty for actions that start no server, and for folders, of which only the sum is known.
 */
export function modelUnchanged(
  action: Action,
  service: Service,
  { models }: Pick<HostFacts, 'models'>,
  platform: Platform,
): readonly Check[] {
  const model = models[service.model.path]
  const willStart = action.starts || action.temporary !== undefined
  if (!willStart || model?.known !== true || model.value?.type !== 'file') return []
  const dated = model.value.files.flatMap(partWords)
  if (dated.length === 0) return []
  return [
    {
      label: 'the model files have not changed since the plan was made',
      script: `while [ $# -gt 1 ]; do
  now=$(${platform === 'macos' ? "stat -L -f '%z %m'" : "stat -L -c '%s %Y'"} "$2") || exit 1
  [ "$now" = "$1" ] || { echo "$2: its size and time are now $now, they were $1"; exit 1; }
  shift 2
done`,
      args: dated,
    },
  ]
}

function partWords({ path, bytes, modified }: ModelPart): readonly string[] {
  return modified === undefined ? [] : [`${bytes} ${modified}`, path]
}
