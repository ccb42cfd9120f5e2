import { converge } from '../lib/next-command.ts'
import type { RunReport } from '../model/report.ts'
import { nextText } from './next-text.ts'
import type { Paint } from './paint.ts'
import { resumeCommands } from './resume-commands.ts'
import { type Unsettled, unsettledIn } from './unsettled.ts'

/** What a person needs first: servers that the run left down or unknown, and the command that finishes it. Empty if there is none. */
export function renderHeadline(report: RunReport, paint: Paint): string {
  const unsettled = unsettledIn(report)
  const named = (state: Unsettled['state']) =>
    unsettled
      .filter((one) => one.state === state)
      .map(({ host, service }) => `${service} on ${host}`)
      .join(', ')
  const [down, unknown] = [named('down'), named('in-doubt')]
  return [
    ...(down === '' ? [] : [`${paint(['bold', 'red'], 'DOWN:')} ${paint.hang}${down}`]),
    ...(unknown === '' ? [] : [`${paint(['bold', 'yellow'], 'UNKNOWN:')} ${paint.hang}${unknown} (${unknownWords})`]),
    ...resumeCommands(report).map(({ words, does }) => `next: ${paint.hang}${nextText(converge(words, { note: does }), paint)}`),
  ].join('\n')
}

const unknownWords = 'its last action failed or was interrupted'
