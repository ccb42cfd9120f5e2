import { exitCodes } from '../../context/exit-code.ts'
import { renderHistory } from '../../report/history-text.ts'
import { deliver } from '../../run/deliver.ts'
import { readHistory } from '../../state/read-history.ts'
import { wholeNumber, withOutput } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge history`: which runs there were on this machine, those that were killed included. */
export const verb: Verb = {
  configure(command, finish) {
    withOutput(command.option('-n, --last <n>', 'number of runs to list, newest first', wholeNumber, 20)).action((options) =>
      finish(async (context) => {
        const rows = await readHistory(context, options.last)
        const runs = rows.map((row) => {
          if (!('headline' in row)) return row
          const { tone: _, ...shown } = row
          return shown
        })
        const document = { schema: 'converge/history/v1', runs }
        await deliver({ context, flags: options }, { document, text: (paint) => renderHistory(rows, paint) })
        return exitCodes.done
      }),
    )
  },
}
