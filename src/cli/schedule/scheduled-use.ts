import { NotScheduled } from '../../run/schedule/not-scheduled.ts'
import { withUseOptions } from '../use-options.ts'
import type { Verb } from '../verb.ts'

/** `converge use` in an entry: the one verb that changes hosts, because it was named with its time. Only parses its arguments. */
export const verb: Pick<Verb, 'configure'> = {
  configure(command) {
    withUseOptions(command).action((profile, { confirm, check, allow = [], until }) => {
      if (profile === undefined) throw new NotScheduled('`use` without a profile only lists the profiles.')
      if (check === true) throw new NotScheduled('`use --check` changes nothing; `plan` and `status` look at the hosts.')
      if (allow.length > 0)
        throw new NotScheduled(
          '`--allow` would overrule a refusal at every run, whatever its reason is then. Refusals stay refused.',
        )
      if (until !== undefined && /^\d{4}-/.test(until.text))
        throw new NotScheduled('`--until` with a date has passed at the second run. Give a time of day or a duration.')
      if (confirm !== true)
        throw new NotScheduled('`use` changes hosts, and a scheduled run cannot ask. Add -y; refusals stay refused.')
    })
  },
}
