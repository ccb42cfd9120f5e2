import { renderFacts } from '../../report/facts-text.ts'
import { renderUnreachable } from '../../report/problem-text.ts'
import { exitCodes } from '../exit-code.ts'
import { withHosts, withOutput, withSelection } from '../options.ts'
import { withRun } from '../run.ts'
import type { Verb } from '../verb.ts'
import { writeJson } from '../write-json.ts'

/** `converge facts`: what is seen, read-only. */
export const verb: Verb = {
  configure(command, finish) {
    withOutput(withHosts(withSelection(command))).action((options) =>
      finish((context) =>
        withRun(context, options, async (run) => {
          const seen = await run.observe(run.open.names, { keep: false, phase: 'gather' })
          await run.stopDisplay()
          const { paint } = context.out
          if (options.json) {
            const hosts = [...seen].map(([host, facts]) =>
              'salt' in facts ? { host, reachable: true, facts } : { host, reachable: false, problem: facts },
            )
            writeJson(context, { schema: 'converge/facts/v1', hosts })
          } else {
            const blocks = [...seen].map(([host, facts]) =>
              'salt' in facts ? renderFacts(facts, paint) : renderUnreachable(host, facts, paint),
            )
            context.out.write(blocks.join('\n'))
          }
          return [...seen.values()].every((facts) => 'salt' in facts) ? exitCodes.done : exitCodes.unreachable
        }),
      ),
    )
  },
}
