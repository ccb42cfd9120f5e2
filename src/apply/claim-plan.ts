import { posix } from 'node:path'
import { ConvergeError } from '../errors/converge-error.ts'
import { converge } from '../lib/next-command.ts'
import { bookkeepingLabels } from '../model/bookkeeping.ts'
import type { Problem } from '../model/plan.ts'
import type { Step } from '../model/step.ts'
import { describeFailure } from './describe-failure.ts'
import { runStep, type StepContext } from './run-step.ts'

const taken = 17
/** So many plans a host remembers. */
const mostKept = 100

/** `id` of the saved plan, hexadecimal. */
export interface Claim {
  readonly id: string
  readonly runId: string
  readonly host: string
}

/**
 * Remembers on the host that a saved plan is applied there; a folder, because `mkdir` tells who came first. Undefined: no other run
 * has applied it, and now this one does.
 *
 * @param root converge's folder on the host, absolute
 */
export async function claimPlan(root: string, about: Claim, context: StepContext): Promise<Problem | undefined> {
  const { id, runId, host } = about
  const failure = await runStep(claimStep(root, id, runId), context)
  if (failure === undefined) return undefined
  if (failure.kind !== 'exit' || failure.exitCode !== taken)
    return describeFailure(failure, { host, service: 'the saved plan', step: 'remember that it is applied' })
  return new ConvergeError('PLAN.USED', {
    summary: 'The plan was applied already. Nothing was done.',
    why: `On ${host}: a run has begun to apply this very plan there before. A plan is applied once.`,
    next: [converge(['plan', '--limit', host], { say: 'See what is left to do:' })],
  }).toProblem()
}

/**
 * Takes the claim of a run back that came to nothing there, so that the plan can be applied after all. Where an earlier play of the run
 * had claimed it as well, it stays. Who is cut off in between leaves it claimed: rather that than done twice.
 *
 * @returns what people are told where it could not be taken back
 */
export async function giveBackPlan(root: string, { id, runId }: Claim, context: StepContext): Promise<string | undefined> {
  const failure = await runStep(giveBackStep(root, id, runId), context)
  if (failure === undefined) return undefined
  return 'Nothing of the saved plan was done there, and that could not be noted: it counts as applied. Make a new one.'
}

function giveBackStep(root: string, id: string, runId: string): Step {
  return {
    do: 'run',
    label: 'release the claim of the saved plan',
    guards: [],
    script: `plan=$1/$2 run=$3
[ ! -d "$plan/$run-again" ] || exit 0
rmdir "$plan/$run" && rmdir "$plan"`,
    args: [posix.join(root, 'plans'), id, runId],
    timeoutMs: 30_000,
  }
}

function claimStep(root: string, id: string, runId: string): Step {
  return {
    do: 'run',
    label: bookkeepingLabels.claimPlan,
    guards: [],
    script: `folder=$1 id=$2 run=$3 most=$4
mkdir -p "$folder" || exit 1
if ! said=$(mkdir "$folder/$id" 2>&1); then
  # Another play of the same run comes to the host once more; what it comes to does not tell what the first one did.
  if [ -d "$folder/$id/$run" ]; then mkdir -p "$folder/$id/$run-again" && exit 0 || exit 1; fi
  [ ! -d "$folder/$id" ] || exit ${taken}
  printf '%s\\n' "$said" >&2
  exit 1
fi
mkdir "$folder/$id/$run" || exit 1
# Newest first; no name has anything but letters, digits and dashes.
ls -1t "$folder" | tail -n "+$((most + 1))" | while read -r old; do rmdir "$folder/$old"/* "$folder/$old"; done
exit 0`,
    args: [posix.join(root, 'plans'), id, runId, String(mostKept)],
    timeoutMs: 30_000,
  }
}
