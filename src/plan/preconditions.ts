import type { Preconditions } from '../model/action.ts'

/**
 * What of an action's preconditions is no longer so, as sentences; empty: all of it is.
 *
 * @param before as they were when the plan was made
 * @param now of the same action in a plan that was made just now; what it does not tell any more could not be seen
 * @param passedOver what something else judges
 */
export function changedPreconditions(
  before: Preconditions,
  now: Preconditions,
  passedOver: readonly (keyof Preconditions)[] = [],
): readonly string[] {
  return told.flatMap((one) => {
    if (passedOver.includes(one)) return []
    const words = sentences[one](before, now)
    return words === undefined ? [] : [words]
  })
}

type Sentence = (before: Preconditions, now: Preconditions) => string | undefined

const sentences: { readonly [Key in keyof Required<Preconditions>]: Sentence } = {
  boot_id: ({ boot_id: before }, { boot_id: now }) => {
    if (same(before, now)) return undefined
    return now === undefined ? 'whether the host was restarted could not be seen' : 'the host was restarted'
  },
  definition_digest: ({ definition_digest: before }, { definition_digest: now = null }) => {
    if (same(before, now)) return undefined
    if (before === null) return 'there was no definition, now there is one'
    return now === null ? 'the definition is gone' : 'the definition was changed'
  },
  process: ({ process: before }, { process: now = null }) => {
    if (before === undefined || (before?.pid === now?.pid && before?.start === now?.start)) return undefined
    return `${processWords(before)} was there, now ${processWords(now)} is`
  },
  container: ({ container: before }, { container: now = null }) => {
    if (same(before, now)) return undefined
    if (before === null) return 'there was no container, now there is one'
    return now === null ? 'the container is gone' : 'the container was made anew'
  },
  free_port: ({ free_port: before }, { free_port: now }) =>
    same(before, now) ? undefined : `port ${before ?? ''} was to be free, and that is not asked any more`,
  model: ({ model: before }, { model: now }) => {
    if (same(before, now)) return undefined
    return now === undefined ? 'the model files could not be seen again' : 'the model files were changed'
  },
}

const told = ['boot_id', 'definition_digest', 'process', 'container', 'free_port', 'model'] as const

/** What was not relied on may be as it likes. */
function same<T>(before: T | undefined, now: T | undefined): boolean {
  return before === undefined || before === now
}

function processWords(process: Required<Preconditions>['process']): string {
  return process === null ? 'no process' : `process ${process.pid} (started ${process.start})`
}
