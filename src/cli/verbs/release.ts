import { exitCodes } from '../../context/exit-code.ts'
import { converge } from '../../lib/next-command.ts'
import { textDiff } from '../../lib/text-diff.ts'
import { withActingRun } from '../../run/acting-run.ts'
import { releaseEdit } from '../../run/adopt/release-edit.ts'
import { applyRun } from '../../run/apply-run.ts'
import { isAgreed, mustBeAbleToAsk, notWanted } from '../../run/ask.ts'
import { openFleet } from '../../run/open-fleet.ts'
import { writeEdits } from '../../run/write-edits.ts'
import { findService } from '../find-service.ts'
import { actingOf, withActing, withHosts, withInventory, withReporting } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge release SERVICE[@HOST]`: the inverse of `adopt`. The inventory says `state: unmanaged`, and the host forgets converge. */
export const verb: Verb = {
  configure(command, finish) {
    const own = command.argument('<service[@host]>', 'a service; HOST may be omitted if only one host has it')
    withActing(withReporting(withHosts(withInventory(own)))).action((target, options) =>
      finish(async (context) => {
        const { confirmed, ...acting } = actingOf(options)
        mustBeAbleToAsk(context, options, confirmed)
        const { fleet, hosts } = await openFleet(context, options)
        const { host, service } = findService(hosts, target, 'release')
        const edit = await releaseEdit(fleet, host, service)
        if (edit !== undefined) {
          const { err } = context
          if (!confirmed) {
            err.write(`${err.paint.whole(textDiff(edit.file, edit.before ?? '', edit.after))}\n`)
            const question = `Release ${service.name} on ${host.name}? Its server keeps running, and converge leaves it alone.`
            if (!(await isAgreed(context, question, 'Nothing was done.'))) return notWanted
          }
          await writeEdits([edit], { next: [converge(['release', target])] })
        }
        const flags = { ...options, limit: host.name, service: [service.name] }
        const done = await withActingRun(context, flags, (run) =>
          applyRun(run, { playbook: undefined, approvals: [], confirmed: confirmed || edit !== undefined, ...acting }),
        )
        return done === exitCodes.changes ? exitCodes.done : done
      }),
    )
  },
}
