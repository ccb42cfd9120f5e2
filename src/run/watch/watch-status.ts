import { type ExitCode, exitCodes } from '../../context/exit-code.ts'
import { mapStrings } from '../../lib/map-strings.ts'
import { converge } from '../../lib/next-command.ts'
import { shownLine, visibleJson } from '../../lib/visible-text.ts'
import type { NextCommand } from '../../model/next-step.ts'
import { lineLayout, liveLines } from '../../report/live-lines.ts'
import { type LiveLook, liveDocument } from '../../report/live-status.ts'
import { nextText } from '../../report/next-text.ts'
import { stdoutFormat } from '../deliver.ts'
import type { Run } from '../run.ts'
import type { LeaveFor } from './live-keys.ts'
import { type LiveEnd, showLive } from './show-live.ts'
import { watchFleet } from './watch-fleet.ts'

/** Looks at the fleet until it is ended: a live table on a terminal, lines elsewhere, or a JSON document a line. */
export async function watchStatus(run: Run, intervalMs: number): Promise<ExitCode> {
  const { context, flags } = run
  if (stdoutFormat(flags) === 'json')
    await watchFleet(run, { intervalMs, waitsForAll: true, show: printJson(run), signal: context.signal })
  else if (!context.out.isTerminal || context.env['TERM'] === 'dumb')
    await watchFleet(run, { intervalMs, waitsForAll: true, show: printLines(run), signal: context.signal })
  else await afterwards(run, await showLive(run, intervalMs))
  return exitCodes.done
}

function printJson({ context: { out, redactor } }: Run): (look: LiveLook) => void {
  return (look) =>
    out.write(
      `${visibleJson(
        mapStrings(liveDocument(look), (text) => redactor.redact(text)),
        0,
      )}\n`,
    )
}

function printLines({ context: { out, redactor } }: Run): (look: LiveLook) => void {
  const show = (text: string) => shownLine(redactor.redact(text))
  let before: LiveLook | undefined
  let layout: ReturnType<typeof lineLayout> | undefined
  return (look) => {
    layout ??= lineLayout(look, show)
    for (const line of liveLines(look, before, layout, show)) out.write(`${line}\n`)
    before = look
  }
}

/** The table is closed for another command, which the person runs: the one that looks also must not be the one that acts. */
async function afterwards({ context }: Run, { leaveFor, service }: LiveEnd): Promise<void> {
  if (leaveFor === 'quit' || context.signal.aborted) return
  const { err } = context
  const next = commandFor(leaveFor, service === undefined ? undefined : `${service.service}@${service.host}`)
  if (next !== undefined) err.writeProse(`${nextText(next, err.paint)}\n`)
}

/** The place where a key calls a verb. */
function commandFor(leaveFor: LeaveFor, service: string | undefined): NextCommand | undefined {
  if (leaveFor === 'report') return converge(['status', '--format', 'html=status.html'], { say: 'To write it as a page:' })
  if (service === undefined) return undefined
  if (leaveFor === 'logs') return converge(['logs', service, '--follow'], { say: 'To read its log:' })
  return converge(['restart', service], { say: 'To restart it, after a question:' })
}
