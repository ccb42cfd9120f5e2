import { type ExitCode, exitCodes, worstOf } from '../../context/exit-code.ts'
import { noteBug } from '../../context/report-bug.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { shellQuote } from '../../lib/shell-quote.ts'
import type { FactsDocument, ObservedHost } from '../../model/facts-document.ts'
import { renderFacts } from '../../report/facts-text.ts'
import { hostBlocks } from '../../report/host-blocks.ts'
import { overviewOfFacts } from '../../report/overview-of-facts.ts'
import type { Paint } from '../../report/paint.ts'
import { renderUnreachable } from '../../report/problem-text.ts'
import { deliver } from '../../run/deliver.ts'
import { openFactsFolder, writeFacts } from '../../run/facts-folder.ts'
import type { Observation } from '../../run/planning-run.ts'
import { type Run, withRun } from '../../run/run.ts'
import { unseenExit } from '../../run/unseen-exit.ts'
import { withHosts, withReports, withShards } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge facts`: what is seen, read-only. */
export const verb: Verb = {
  configure(command, finish) {
    const own = command.option(
      '-o, --out <dir>',
      'also write a facts snapshot per host, without keys, for `converge plan --facts DIR`',
    )
    withReports(withHosts(withShards(own))).action((options) =>
      finish(async (context) => {
        // A folder: to a run the word would name the file of a plan.
        const { out, ...flags } = options
        if (out !== undefined) await openFactsFolder(out)
        return withRun(context, flags, (run) => printFacts(run, out))
      }),
    )
  },
}

async function printFacts(run: Run, out: string | undefined): Promise<ExitCode> {
  const seen = await run.observe(run.open.hosts, { keep: false, phase: 'gather', about: 'all' })
  await run.stopDisplay()
  const hosts = [...seen].map(
    ([host, facts]): ObservedHost =>
      'salt' in facts ? { host, reachable: true, facts } : { host, reachable: false, problem: facts },
  )
  const text = (paint: Paint) => {
    const { blocks, finish } = hostBlocks(
      hosts,
      (one) => (one.reachable ? renderFacts(one.facts, paint) : `${renderUnreachable(one.host, one.problem, paint)}\n`),
      paint,
    )
    return finish(blocks.join('\n'))
  }
  const document: FactsDocument = { schema: 'converge/facts/v1', hosts }
  const about = { inventory: run.open.fleet.path, at: run.context.now().toISOString(), hosts }
  await deliver(run, {
    document,
    text,
    lines: hosts.map((host) => ({ type: 'host', ...host })),
    overview: (surroundings) => overviewOfFacts(about, surroundings),
  })
  if (out !== undefined) await writeEach(run, out, seen)
  return worstOf([exitCodes.done, ...[...seen.values()].flatMap((facts) => ('salt' in facts ? [] : [unseenExit(facts)]))])
}

/** A host that could not be looked at keeps the file that an earlier look left: it says itself how old it is. */
async function writeEach(run: Run, folder: string, seen: Observation): Promise<void> {
  let written = 0
  for (const host of run.open.hosts) {
    const facts = seen.get(host.name)
    if (facts === undefined || !('salt' in facts)) continue
    try {
      await writeFacts(run, folder, host, facts)
      written++
    } catch (error) {
      if (error instanceof ConvergeError) throw error
      noteBug(run.context, error, `It kept the facts of ${facts.host} from being written; the others are.`)
    }
  }
  const missing = seen.size - written
  const rest = missing === 0 ? '' : ` Of ${missing} that could not be looked at nothing was written.`
  const { err } = run.context
  const next = err.paint.whole(shellQuote(['converge', 'plan', '--facts', folder]))
  err.writeProse(`\nWrote the facts of ${written} of ${seen.size} hosts.${rest} To plan with them:  ${next}\n`)
}
