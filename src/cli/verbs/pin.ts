import { type ExitCode, exitCodes, worstOf } from '../../context/exit-code.ts'
import type { Paint } from '../../report/paint.ts'
import { renderPins } from '../../report/pin-text.ts'
import { isAgreed, mustBeAbleToAsk, notWanted } from '../../run/ask.ts'
import { deliver } from '../../run/deliver.ts'
import { hubsNotAsked } from '../../run/hubs-not-asked.ts'
import { openReported } from '../../run/open-reported.ts'
import { settlePins, writePinned } from '../../run/pin-files.ts'
import { askForPins } from '../../run/pin-models.ts'
import { createSecretResolver } from '../../run/secret-resolver.ts'
import { withConfirm, withOutput, withSelection } from '../options.ts'
import { mustBeUnsharded } from '../unsharded.ts'
import type { Verb } from '../verb.ts'

/** `converge pin`: the commits of model sources, asked of their hubs and written into the inventory. No host is contacted. */
export const verb: Verb = {
  configure(command, finish) {
    const own = command
      .option('--update [branch]', 'also update pinned sources to the tip of BRANCH (default: main)')
      .option('--check', 'write nothing; exit with 2 if a pin would change')
    withOutput(withConfirm(withSelection(own))).action(({ update, check = false, confirm = false, ...options }) =>
      finish(async (context) => {
        mustBeUnsharded(context, 'pin', 'It writes into the files of the inventory, which all shards share.')
        if (!check) mustBeAbleToAsk(context, options, confirm)
        const open = await openReported(context, options)
        if (open.isClosed === true) throw hubsNotAsked()
        const branch = update === true ? 'main' : update
        const resolve = createSecretResolver(context, { isClosed: false })
        const { files, ...found } = await settlePins(open.fleet, await askForPins(context, open, { resolve, branch }))
        const pins = (paint: Paint) => renderPins(found, paint)
        const end = async (written: boolean, exit: ExitCode, text: (paint: Paint) => string) => {
          const document = { schema: 'converge/pin/v1', ...found, written } as const
          await deliver({ context, flags: options }, { document, text })
          return worstOf([exit, ...(found.failures.length > 0 ? [exitCodes.unreachable] : [])])
        }
        if (found.pins.length === 0) return end(false, exitCodes.done, pins)
        if (check) return end(false, exitCodes.changes, pins)
        if (!confirm) {
          context.err.writeProse(pins(context.err.paint))
          if (!(await isAgreed(context, 'Write this into the inventory?'))) return notWanted
        }
        await writePinned(files)
        return end(true, exitCodes.done, (paint) => `${confirm ? pins(paint) : ''}${writtenWords(files.length)}\n`)
      }),
    )
  },
}

function writtenWords(files: number): string {
  return files === 1 ? 'Written into one file.' : `Written into ${files} files.`
}
