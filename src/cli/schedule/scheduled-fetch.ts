import { NotScheduled } from '../../run/schedule/not-scheduled.ts'
import { withFetchOptions } from '../fetch-options.ts'
import type { Verb } from '../verb.ts'

/** `converge fetch` as an entry may have it: what is missing is fetched, by jobs that nobody waits for. Only its words are read. */
export const verb: Pick<Verb, 'configure'> = {
  configure(command) {
    withFetchOptions(command).action((what, { follow, check }) => {
      if (what !== undefined)
        throw new NotScheduled(`\`fetch ${what}\` is for somebody who is there: only \`fetch\` itself can be run on a schedule.`)
      if (follow === true)
        throw new NotScheduled(
          '`--follow` waits until all is there, for hours; a scheduled `fetch` starts the downloads and ends.',
        )
      if (check === true)
        throw new NotScheduled('`fetch --check` fetches nothing; `plan` looks at the same, and at everything else.')
    })
  },
}
