import { shellQuote } from '../../lib/shell-quote.ts'
import type { FactsDocument, ObservedHost } from '../../model/facts-document.ts'
import { renderFacts } from '../../report/facts-text.ts'
import type { Paint } from '../../report/paint.ts'
import { renderUnreachable } from '../../report/problem-text.ts'
import { deliver } from '../deliver.ts'
import { type ExitCode, exitCodes } from '../exit-code.ts'
import { openFactsFolder, writeFacts } from '../facts-folder.ts'
import { withHosts, withOutput, withSelection } from '../options.ts'
import type { Observation } from '../planning-run.ts'
import { type Run, withRun } from '../run.ts'
import type { Verb } from '../verb.ts'

/** `converge facts`: what is seen, read-only. */
export const verb: Verb = {
  configure(command, finish) {
    withOutput(withHosts(withSelection(command)))
      .option(
        '-o, --out <dir>',
        'also write a file for each host, which `converge plan --facts DIR` reads in its place; no key is in it',
      )
      .action((options) =>
        finish(async (context) => {
          // A folder: to a run the word would name the file of a plan.
          const { out, ...flags } = options
          if (out !== undefined) await openFactsFolder(out)
          return withRun(context, flags, (run) => tellFacts(run, out))
        }),
      )
  },
}

async function tellFacts(run: Run, out: string | undefined): Promise<ExitCode> {
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
  await deliver(run, { document, text })
  if (out !== undefined) await writeEach(run, out, seen)
  return [...seen.values()].every((facts) => 'salt' in facts) ? exitCodes.done : exitCodes.unreachable
}

/** A host that could not be looked at keeps the file that an earlier look left: it says itself how old it is. */
async function writeEach(run: Run, folder: string, seen: Observation): Promise<void> {
  const found = [...seen.values()].flatMap((facts) => ('salt' in facts ? [facts] : []))
  for (const facts of found) await writeFacts(run, folder, facts)
  const missing = seen.size - found.length
  const rest = missing === 0 ? '' : ` Of ${missing} that could not be looked at nothing was written.`
  run.context.err.write(
    `\nWrote the facts of ${found.length} of ${seen.size} hosts.${rest} To plan with them:  ${shellQuote(['converge', 'plan', '--facts', folder])}\n`,
  )
}
