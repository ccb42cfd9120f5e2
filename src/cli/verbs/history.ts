import { exitCodes } from '../../context/exit-code.ts'
import { defined } from '../../lib/defined.ts'
import { hostsIn, renderHistory } from '../../report/history-text.ts'
import { deliver } from '../../run/deliver.ts'
import { listRuns, readEntry } from '../../state/run-history.ts'
import { wholeNumber, withOutput } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge history`: which runs there were on this machine, those that were killed included. */
export const verb: Verb = {
  configure(command, finish) {
    withOutput(command.option('-n, --last <n>', 'number of runs to list, newest first', wholeNumber, 20)).action((options) =>
      finish(async (context) => {
        const ids = (await listRuns(context)).slice(0, options.last)
        const entries = await Promise.all(ids.map((id) => readEntry(context, id)))
        const runs = entries.map((entry) => {
          if ('unreadable' in entry || 'begun_at' in entry) return entry
          const { run_id, verb: of, at, inventory, owner, exit_code, overview } = entry
          const who = defined({ owner })
          return { run_id, verb: of, at, inventory, ...who, exit_code, hosts: hostsIn(entry), headline: overview.headline }
        })
        const document = { schema: 'converge/history/v1', runs }
        await deliver({ context, flags: options }, { document, text: (paint) => renderHistory(entries, paint) })
        return exitCodes.done
      }),
    )
  },
}
