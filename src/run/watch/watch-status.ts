import { type ExitCode, exitCodes } from '../../context/exit-code.ts'
import { mapStrings } from '../../lib/map-strings.ts'
import { shownLine, visibleJson } from '../../lib/visible-text.ts'
import { lineLayout, liveLines } from '../../report/live-lines.ts'
import { type LiveLook, liveDocument } from '../../report/live-status.ts'
import { stdoutFormat } from '../deliver.ts'
import type { Run } from '../run.ts'
import { showLive } from './show-live.ts'
import { watchFleet } from './watch-fleet.ts'

/** Looks at the fleet until it is ended: a live table on a terminal, lines elsewhere, or a JSON document a line. */
export async function watchStatus(run: Run, intervalMs: number): Promise<ExitCode> {
  const { context, flags } = run
  if (stdoutFormat(flags) === 'json')
    await watchFleet(run, { intervalMs, waitsForAll: true, show: printJson(run), signal: context.signal })
  else if (!context.out.isTerminal || context.env['TERM'] === 'dumb')
    await watchFleet(run, { intervalMs, waitsForAll: true, show: printLines(run), signal: context.signal })
  else await showLive(run, intervalMs)
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
