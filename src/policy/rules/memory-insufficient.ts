import type { MemoryNeed } from '../../model/launch.ts'
import type { Unknown } from '../../model/observed.ts'
import { hasBudget } from '../../servers/traits.ts'
import { goesOn } from '../../simulate/goes-on.ts'
import { withoutProcesses } from '../../simulate/host-state.ts'
import { judgeGpu } from '../gpu-working-set.ts'
import { largestPart, memoryAdvice, memoryEvidence, type RemainingMemory } from '../memory-words.ts'
import { isLaterPart } from '../model-part.ts'
import type { ActionContext, Finding, Rule } from '../rule.ts'
import { factUnknown, gib, gibibyte } from '../words.ts'

export const memoryInsufficient: Rule = {
  code: 'MEMORY.INSUFFICIENT',
  severity: 'refuse',
  title: 'The server does not fit into the available memory.',
  explain:
    'The server needs more memory than is left. Of the available memory (with page cache that can be reclaimed), converge subtracts the ' +
    "weights of other servers in the page cache, what running servers may still allocate (Kind B: up to their budgets), and the system's " +
    'headroom (`fleet.headroom_gb`). It adds what this action frees. A Kind A needs its weights, the KV cache for its context, and its own caches ' +
    'and buffers. A Kind B needs its budget. A server whose weights do not fit rereads them from disk and is too slow to be useful. On a Mac, ' +
    'the layers on the GPU must also fit into its working set. `llama-server` also caches prompts in RAM, up to 8 GiB by default; lower it ' +
    'with `--cache-ram` in `extra_args`. Or lower `ctx_size`, choose a smaller model, stop another server, or approve the start (`--allow`).',
  consentable: true,
  checkAction(context) {
    if (!context.action.starts || goesOn(context.action, context.before)) return []
    const remaining = remainingMemory(context)
    if (!remaining.known) return 'finding' in remaining ? [remaining.finding] : []
    if (context.need.known) {
      const need = context.need.value
      return need.hardBytes + need.softBytes <= remaining.bytes ? judgeGpu(context, need) : [tooLarge(context, need, remaining)]
    }
    return judgeByWeights(context, context.need, remaining)
  },
}

type MemoryCheck = RemainingMemory | { readonly known: false; readonly finding: Finding }

function remainingMemory({ before, service, host, fleet }: ActionContext): MemoryCheck {
  const rest = withoutProcesses(before, service.name)
  const words = { host: host.name, decision: `whether ${service.name} fits into memory` }
  const { ramAvailableBytes: available, residents } = rest
  if (!available.known) return { known: false, finding: factUnknown('The available memory', available, words) }
  if (!residents.known) return { known: false, finding: factUnknown('The list of resident servers', residents, words) }
  const mapped = residents.value.reduce((sum, one) => sum + one.mappedBytes, 0)
  const promised = residents.value.reduce((sum, { dueBytes }) => sum + (dueBytes.known ? dueBytes.value : 0), 0)
  const left = available.value - mapped - promised - fleet.settings.headroomGb * gibibyte
  // A server whose reservation is unknown may take all of it.
  const bytes = residents.value.every(({ dueBytes }) => dueBytes.known) ? left : Math.min(0, left)
  return { known: true, bytes, available: available.value, mapped, promised }
}

/** An incomplete header does not give the size of the KV cache, but the weights alone may already be too large. */
function judgeByWeights(context: ActionContext, need: Unknown, remaining: RemainingMemory): readonly Finding[] {
  const { model, service, host } = context
  // The rules for models refuse a model that is missing, is unreadable or has no header.
  if (hasBudget(service.kind) || !model.known || model.value === null) return []
  const weights = model.value.files.reduce((sum, file) => sum + file.bytes, 0)
  if (weights > remaining.bytes) {
    const parts = [{ name: 'weights', bytes: weights, from: 'the rest of the need is unknown' }] as const
    return [tooLarge(context, { hardBytes: 0, softBytes: weights, parts }, remaining)]
  }
  if (!model.value.header.known || isLaterPart(service)) return []
  const words = { host: host.name, decision: `whether ${service.name} fits into memory` }
  return [factUnknown(`The memory need of ${service.name}`, need, words)]
}

function tooLarge(context: ActionContext, need: MemoryNeed, remaining: RemainingMemory): Finding {
  const { service, host } = context
  const needed = need.hardBytes + need.softBytes
  return {
    why: `${service.name} needs ${gib(needed)} on ${host.name}${largestPart(need)}, but ${remaining.bytes < 0 ? 'nothing' : `only ${gib(remaining.bytes)}`} is left. Other processes would run out of memory, or it would reread its weights from disk over and over.`,
    evidence: memoryEvidence(context, need, remaining),
    next: memoryAdvice(context, need, remaining),
  }
}
