import { InvalidArgumentError } from '@commander-js/extra-typings'
import { ConvergeError } from '../errors/converge-error.ts'
import { converge } from '../lib/next-command.ts'
import type { OutputFlags } from '../run/deliver.ts'
import { duration } from './duration.ts'

/** Milliseconds from one look to the next. */
export function interval(text: string): number {
  const ms = duration(text)
  if (ms < 1000 || ms > 3_600_000) throw new InvalidArgumentError('It has to be from 1s to 1h.')
  return ms
}

/** @throws ConvergeError `USAGE.COMMAND` for a format that needs an end */
export function mustBeWatchable({ format = [] }: OutputFlags): void {
  const report = format.find((one) => one.file !== undefined || !['text', 'json'].includes(one.format))
  if (report === undefined) return
  const asked = `${report.format}${report.file === undefined ? '' : `=${report.file}`}`
  const page = report.format === 'html' && report.file !== undefined ? asked : 'html=status.html'
  throw new ConvergeError('USAGE.COMMAND', {
    summary: 'A watch writes no reports.',
    why: `\`--format ${asked}\` writes the result at the end, and a watch has none. \`--watch --json\` prints one document per look.`,
    next: [
      converge(['status', '--format', asked], { say: 'Write it once:' }),
      converge(['schedule', 'cron', '--every', '5m', '--', 'status', '--format', page], {
        say: 'Or a page that is written again and again:',
      }),
    ],
  })
}
