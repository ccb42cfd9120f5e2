import type { Entry, ScheduleName } from '../schedulers/job.ts'

/** `converge/schedule/v1`. */
export interface ScheduleDocument {
  readonly schema: 'converge/schedule/v1'
  readonly scheduler: ScheduleName
  readonly name: string
  readonly done: 'printed' | 'installed' | 'removed'
  /** Of the entry, each whole; empty where it was taken away. */
  readonly files: readonly { readonly path: string; readonly mode: string; readonly content: string }[]
  /** For cron: the block. */
  readonly crontab?: string
  /** What was there and is gone. */
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
    ...(crontab === undefined ? {} : { crontab }),
    removed: [],
    notes,
  }
}

/** What was printed as it would be written; of what was done, where it is. */
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
