import type { Preconditions } from '../model/action.ts'

/**
 * The preconditions of an action that no longer hold, as sentences. Empty: all hold.
 *
 * @param before as they were when the plan was made
 * @param now those of the same action in a new plan; a missing one could not be observed
 * @param passedOver preconditions that are checked elsewhere
 */
export function changedPreconditions(
  before: Preconditions,
  now: Preconditions,
  passedOver: readonly (keyof Preconditions)[] = [],
): readonly string[] {
  return inOrder.flatMap((one) => {
    if (passedOver.includes(one)) return []
    const words = sentences[one](before, now)
    return words === undefined ? [] : [words]
  })
}

type Sentence = (before: Preconditions, now: Preconditions) => string | undefined

const sentences: { readonly [Key in keyof Required<Preconditions>]: Sentence } = {
  boot_id: ({ boot_id: before }, { boot_id: now }) => {
    if (same(before, now)) return undefined
    return now === undefined ? 'whether the host rebooted is unknown' : 'the host rebooted'
  },
  definition_digest: ({ definition_digest: before }, { definition_digest: now = null }) => {
    if (same(before, now)) return undefined
    if (before === null) return 'a definition has appeared'
    return now === null ? 'the definition is gone' : 'the definition changed'
  },
  process: ({ process: before }, { process: now = null }) => {
    if (before === undefined || (before?.pid === now?.pid && before?.start === now?.start)) return undefined
    return `the process changed from ${processWords(before)} to ${processWords(now)}`
  },
  container: ({ container: before }, { container: now = null }) => {
    if (same(before, now)) return undefined
    if (before === null) return 'a container has appeared'
    return now === null ? 'the container is gone' : 'the container was recreated'
  },
  free_port: ({ free_port: before }, { free_port: now }) =>
    same(before, now) ? undefined : `the check that port ${before ?? ''} is free is missing`,
  model: ({ model: before }, { model: now }) => {
    if (same(before, now)) return undefined
    return now === undefined ? 'the model files could not be checked again' : 'the model files changed'
  },
}

const inOrder = ['boot_id', 'definition_digest', 'process', 'container', 'free_port', 'model'] as const

/** A precondition that was not set always holds. */
function same<T>(before: T | undefined, now: T | undefined): boolean {
  return before === undefined || before === now
}

function processWords(process: Required<Preconditions>['process']): string {
  return process === null ? 'none' : `${process.pid} (started ${process.start})`
}
