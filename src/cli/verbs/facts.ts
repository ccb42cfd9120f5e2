import type { FactsDocument, ObservedHost } from '../../model/facts-document.ts'
import { renderFacts } from '../../report/facts-text.ts'
import type { Paint } from '../../report/paint.ts'
import { renderUnreachable } from '../../report/problem-text.ts'
import { deliver } from '../deliver.ts'
import { exitCodes } from '../exit-code.ts'
import { withHosts, withOutput, withSelection } from '../options.ts'
import { withRun } from '../run.ts'
import type { Verb } from '../verb.ts'

/** `converge facts`: what is seen, read-only. */
export const verb: Verb = {
  configure(command, finish) {
    withOutput(withHosts(withSelection(command))).action((options) =>
      finish((context) =>
        withRun(context, options, async (run) => {
          const seen = await run.observe(run.open.names, { keep: false, phase: 'gather' })
          await run.stopDisplay()
          const hosts = [...seen].map(
            ([host, facts]): ObservedHost =>
              'salt' in facts ? { host, reachable: true, facts } : { host, reachable: false, problem: facts },
          )
          const text = (paint: Paint) =>
            [...seen]
              .map(([host, facts]) => ('salt' in facts ? renderFacts(facts, paint) : renderUnreachable(host, facts, paint)))
              .join('\n')
          const document: FactsDocument = { schema: 'converge/facts/v1', hosts }
          await deliver({ context, flags: options }, { document, text })
          return [...seen.values()].every((facts) => 'salt' in facts) ? exitCodes.done : exitCodes.unreachable
        }),
      ),
    )
  },
}
