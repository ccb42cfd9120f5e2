import { posix } from 'node:path'
import { ConvergeError } from '../errors/converge-error.ts'
import { converge } from '../lib/next-command.ts'
import { bookkeepingLabels } from '../model/bookkeeping.ts'
import type { Problem } from '../model/plan.ts'
import type { Step } from '../model/step.ts'
import { describeFailure } from './describe-failure.ts'
import { runStep, type StepContext } from './run-step.ts'

const taken = 17
/** How many saved plans a host remembers. */
const maxKept = 100

/** `id` of the saved plan, hexadecimal. */
export interface Claim {
  readonly id: string
  readonly runId: string
  readonly host: string
}

/**
 * Marks a saved plan as applied on the host. The mark is a folder, because `mkdir` is atomic. Undefined: this run is the first and
 * may apply the plan.
 *
 * @param root converge's folder on the host, absolute
 */
export async function claimPlan(root: string, about: Claim, context: StepContext): Promise<Problem | undefined> {
  const { id, runId, host } = about
  const failure = await runStep(claimStep(root, id, runId), context)
  if (failure === undefined) return undefined
  if (failure.kind !== 'exit' || failure.exitCode !== taken)
    return describeFailure(failure, { host, service: 'the saved plan', step: bookkeepingLabels.claimPlan })
  return new ConvergeError('PLAN.USED', {
    summary: 'The plan has already been applied. Nothing was done.',
    why: `On ${host}: an earlier run began to apply this plan there. A plan can be applied only once.`,
    next: [converge(['plan', '--limit', host], { say: 'See what is left to do:' })],
  }).toProblem()
}

/**
 * Releases the claim of a run that did nothing there, so that the plan can still be applied. The claim stays where an earlier play of the
 * run made it too. It also stays where the run is cut off in between: better lost than applied twice.
 *
 * @returns a note for people when the claim could not be released
 */
export async function releaseClaim(root: string, { id, runId }: Claim, context: StepContext): Promise<string | undefined> {
  const failure = await runStep(giveBackStep(root, id, runId), context)
  if (failure === undefined) return undefined
  return 'The saved plan changed nothing there, but its claim could not be released. It counts as applied. Make a new plan.'
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
  # A second play of the same run on this host. Whether it does anything says nothing about the first one.
  if [ -d "$folder/$id/$run" ]; then mkdir -p "$folder/$id/$run-again" && exit 0 || exit 1; fi
  [ ! -d "$folder/$id" ] || exit ${taken}
  printf '%s\\n' "$said" >&2
  exit 1
fi
mkdir "$folder/$id/$run" || exit 1
# Newest first. Names consist of letters, digits and dashes.
ls -1t "$folder" | tail -n "+$((most + 1))" | while read -r old; do rmdir "$folder/$old"/* "$folder/$old"; done
exit 0`,
    args: [posix.join(root, 'plans'), id, runId, String(maxKept)],
    timeoutMs: 30_000,
  }
}
