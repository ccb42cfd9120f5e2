import type { Context } from '../../context/context.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { converge } from '../../lib/next-command.ts'
import { stateFolder } from '../../state/state-folder.ts'

/** Where what belongs to a schedule lies. */
export function scheduleFolder(context: Pick<Context, 'env' | 'cwd'>, name: string): string {
  return `${stateFolder(context)}/schedule/${name}`
}

/** It becomes part of file names, unit names and labels. */
export function checkName(name: string): string {
  if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) && name.length <= 40) return name
  throw unusable(
    'the name',
    `\`${name}\` is not made of lower-case letters and digits, with single hyphens between them, forty at most.`,
  )
}

/** What of a schedule cannot be as it was asked for. */
export function unusable(what: string, why: string): ConvergeError {
  return new ConvergeError('USAGE.SCHEDULE', {
    summary: `This cannot be run on a schedule: ${what} does not fit. Nothing was written.`,
    why,
    next: [converge(['schedule', 'cron', '--every', '1h', '--name', 'home', '--', 'drift', '--changed'])],
  })
}
