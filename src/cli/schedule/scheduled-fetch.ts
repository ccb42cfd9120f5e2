import { NotScheduled } from '../../run/schedule/not-scheduled.ts'
import { withFetchOptions } from '../fetch-options.ts'
import type { Verb } from '../verb.ts'

/** `converge fetch` in an entry: it starts jobs for missing files and does not wait for them. Only parses its arguments. */
export const verb: Pick<Verb, 'configure'> = {
  configure(command) {
    withFetchOptions(command).action((what, { follow, check }) => {
      if (what !== undefined) throw new NotScheduled(`\`fetch ${what}\` is interactive: only \`fetch\` itself can be scheduled.`)
      if (follow === true)
        throw new NotScheduled(
          '`--follow` waits for hours until everything is complete; a scheduled `fetch` starts the downloads and ends.',
        )
      if (check === true)
        throw new NotScheduled('`fetch --check` downloads nothing; `plan` checks the same, and everything else.')
    })
  },
}
