import { defined } from '../lib/defined.ts'
import {
  commandOf,
  type Entry,
  reportPath,
  type ScheduledJob,
  type ScheduleName,
  spanWords,
  whenWords,
} from '../schedulers/job.ts'
import { shellWord } from '../schedulers/shell-word.ts'
import type { Paint } from './paint.ts'

/** `converge/schedule/v1`. */
export interface ScheduleDocument {
  readonly schema: 'converge/schedule/v1'
  readonly scheduler: ScheduleName
  readonly name: string
  readonly done: 'printed' | 'installed' | 'removed'
  /** The files of the entry, each in full; empty if it was removed. */
  readonly files: readonly { readonly path: string; readonly mode: string; readonly content: string }[]
  /** For cron: the block. */
  readonly crontab?: string
  /** What was removed. */
  readonly removed: readonly string[]
  readonly notes: readonly string[]
}

export function entryDocument(
  { scheduler, name, files, crontab }: Entry,
  done: 'printed' | 'installed',
  notes: readonly string[],
): ScheduleDocument {
  return {
    schema: 'converge/schedule/v1',
    scheduler,
    name,
    done,
    files: files.map(({ path, mode, content }) => ({ path, mode: octal(mode), content })),
    ...defined({ crontab }),
    removed: [],
    notes,
  }
}

/** The schedule in a few lines: what runs, when, and which files that needs. */
export function explainSchedule(
  { scheduler, files, crontab }: ScheduleDocument,
  job: ScheduledJob,
  { install, print }: { readonly install: string; readonly print: string },
  paint: Paint,
): string {
  const { verb, jitterS, limitS, cwd } = job
  const later = jitterS === 0 ? '' : `, up to ${spanWords(jitterS)} later`
  const rows = [
    ['when', `${whenWords(job)}${later}, by ${scheduler}; time limit ${spanWords(limitS)}`],
    ['runs', paint.whole(['converge', ...commandOf(job).slice(job.program.length)].map(shellWord).join(' '))],
    ['in', cwd],
    ...entriesOf(crontab).map((line) => ['crontab', paint.whole(line)]),
    ...files.map(({ path, mode, content }) => ['file', `${path}  (mode ${mode}, ${content.trimEnd().split('\n').length} lines)`]),
    ['report', reportPath(job)],
  ]
  const lines = rows.map(([name = '', text = '']) => `  ${paint(['dim'], name.padEnd(7))}  ${paint.hang}${text}`)
  const next = [`next: ${paint.hang}${paint.whole(install)}`, `      ${paint.whole(`${print}    # each file whole`)}`]
  return `${[`\`converge ${verb}\` on a schedule, as it would be installed:`, ...lines, ...next].join('\n')}\n`
}

/** Lines of a crontab without its comments. */
function entriesOf(crontab = ''): readonly string[] {
  return crontab.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

/** A printed entry in full; of an installed one its paths. */
export function renderSchedule(document: ScheduleDocument): string {
  const { done, files, crontab, name, removed } = document
  if (done === 'printed') {
    const parts = files.map(({ path, mode, content }) => `# ${path} (mode ${mode})\n${content}`)
    return [...parts, ...(crontab === undefined ? [] : [`# crontab -e\n${crontab}`])].join('\n')
  }
  if (done === 'removed')
    return removed.length === 0 ? `There is no schedule ${name}.\n` : removed.map((one) => `removed  ${one}\n`).join('')
  const written = files.map(({ path }) => `written  ${path}\n`).join('')
  return crontab === undefined ? written : `${written}crontab\n${crontab}`
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0')
}
