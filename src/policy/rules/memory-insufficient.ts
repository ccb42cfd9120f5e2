import type { MemoryNeed } from '../../model/launch.ts'
import type { Unknown } from '../../model/observed.ts'
import { hasBudget } from '../../servers/traits.ts'
import { goesOn } from '../../simulate/goes-on.ts'
import { withoutProcesses } from '../../simulate/host-state.ts'
import { judgeGpu } from '../gpu-working-set.ts'
import { type KnownLeft, largestPart, memoryAdvice, memoryEvidence } from '../memory-words.ts'
import { isLaterPart } from '../model-part.ts'
import type { ActionContext, Finding, Rule } from '../rule.ts'
import { factUnknown, gib, gibibyte } from '../words.ts'

export const memoryInsufficient: Rule = {
  code: 'MEMORY.INSUFFICIENT',
  severity: 'refuse',
  title: 'The server does not fit into the available memory.',
  explain:
    'A server needs memory for its weights, the KV cache for its context, and its own caches and buffers (Kind B: its budget). The memory left ' +
    'is what is available now, including reclaimable page cache, minus three amounts. The first is the file pages that other servers work from. ' +
    'The second is what running servers have not yet taken of what they were started with (Kind B: of their budgets). The third is the headroom ' +
    'for the system (`fleet.headroom_gb`). What a server frees when this action stops it counts as available. Weights are page cache and can be ' +
    'reread from disk over and over. But a server whose weights do not fit is too slow to be useful. On a Mac, the weights of the layers on the ' +
    'GPU must also fit into its working set. `llama-server` keeps prompts in its own memory, 8 GiB unless `--cache-ram` in `extra_args` says ' +
    'otherwise. Limit that, lower `ctx_size`, choose a smaller model, stop another server, or approve the start (`--allow`).',
  consentable: true,
  checkAction(context) {
    if (!context.action.starts || goesOn(context.action, context.before)) return []
    const left = memoryLeft(context)
    if (!left.known) return 'finding' in left ? [left.finding] : []
    if (context.need.known) {
      const need = context.need.value
      return need.hardBytes + need.softBytes <= left.bytes ? judgeGpu(context, need) : [tooLarge(context, need, left)]
    }
    return judgeByWeights(context, context.need, left)
  },
}

type Left = KnownLeft | { readonly known: false; readonly finding: Finding }

function memoryLeft({ before, service, host, fleet }: ActionContext): Left {
  const rest = withoutProcesses(before, service.name)
  const words = { host: host.name, decision: `whether ${service.name} fits into memory` }
  const { ramAvailableBytes: available, residents } = rest
  if (!available.known) return { known: false, finding: factUnknown('The available memory', available, words) }
  if (!residents.known) return { known: false, finding: factUnknown('The list of resident servers', residents, words) }
  const mapped = residents.value.reduce((sum, one) => sum + one.mappedBytes, 0)
  const promised = residents.value.reduce((sum, { dueBytes }) => sum + (dueBytes.known ? dueBytes.value : 0), 0)
  const left = available.value - mapped - promised - fleet.settings.headroomGb * gibibyte
  // Who may take nobody knows how much may take all of it.
  const bytes = residents.value.every(({ dueBytes }) => dueBytes.known) ? left : Math.min(0, left)
  return { known: true, bytes, available: available.value, mapped, promised }
}

/** Nobody can tell the KV cache from an incomplete header; the weights alone may already be too much. */
function judgeByWeights(context: ActionContext, need: Unknown, left: KnownLeft): readonly Finding[] {
  const { model, service, host } = context
  // A model that is not there, not readable or has no header is refused by the rules for models.
  if (hasBudget(service.kind) || !model.known || model.value === null) return []
  const weights = model.value.files.reduce((sum, file) => sum + file.bytes, 0)
  if (weights > left.bytes) {
    const parts = [{ name: 'weights', bytes: weights, from: 'what comes on top could not be worked out' }] as const
    return [tooLarge(context, { hardBytes: 0, softBytes: weights, parts }, left)]
  }
  if (!model.value.header.known || isLaterPart(service)) return []
  const words = { host: host.name, decision: `whether ${service.name} fits into memory` }
  return [factUnknown(`The memory need of ${service.name}`, need, words)]
}

function tooLarge(context: ActionContext, need: MemoryNeed, left: KnownLeft): Finding {
  const { service, host } = context
  const wanted = need.hardBytes + need.softBytes
  return {
    why: `${service.name} needs ${gib(wanted)} on ${host.name}${largestPart(need)}, and ${left.bytes < 0 ? 'nothing' : gib(left.bytes)} is left for it. It would push the rest of the machine out of memory, or read its weights from disk over and over.`,
    evidence: memoryEvidence(context, need, left),
    next: memoryAdvice(context, need, left),
  }
}
