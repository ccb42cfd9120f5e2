import { renderHistory } from '../../report/history-text.ts'
import { deliver } from '../deliver.ts'
import { exitCodes } from '../exit-code.ts'
import { wholeNumber, withOutput } from '../options.ts'
import { listKept, readKept } from '../run-history.ts'
import type { Verb } from '../verb.ts'

/** `converge history`: which runs left a report on this machine. */
export const verb: Verb = {
  configure(command, finish) {
    withOutput(command)
      .option('-n, --last <n>', 'so many runs, the newest first', wholeNumber, 20)
      .action((options) =>
        finish(async (context) => {
          const ids = (await listKept(context)).slice(0, options.last)
          const entries = await Promise.all(ids.map((id) => readKept(context, id)))
          const runs = entries.map((entry) => {
            if ('unreadable' in entry) return entry
            const { run_id, verb: of, at, inventory, exit_code, overview } = entry
            return { run_id, verb: of, at, inventory, exit_code, headline: overview.headline }
          })
          const document = { schema: 'converge/history/v1', runs }
          await deliver({ context, flags: options }, { document, text: (paint) => renderHistory(entries, paint) })
          return exitCodes.done
        }),
      )
  },
}
