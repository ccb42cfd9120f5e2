import { hostsDocument, renderHosts } from '../../report/hosts-text.ts'
import type { Paint } from '../../report/paint.ts'
import { deliver } from '../deliver.ts'
import { exitCodes } from '../exit-code.ts'
import { openFleet } from '../open-fleet.ts'
import { withOutput, withSelection } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge hosts`: one name per line when piped, a table on a terminal. */
export const verb: Verb = {
  configure(command, finish) {
    withOutput(withSelection(command)).action((options) =>
      finish(async (context) => {
        const { hosts, selects } = await openFleet(context, options)
        const document = hostsDocument(options.limit ?? 'all', hosts, (host) =>
          host.services.filter(selects).map((one) => one.name),
        )
        const text = (paint: Paint) => renderHosts(document, { paint, table: context.out.isTerminal })
        await deliver({ context, flags: options }, { document, text })
        return exitCodes.done
      }),
    )
  },
}
