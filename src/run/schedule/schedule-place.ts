import type { Context } from '../../context/context.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { converge } from '../../lib/next-command.ts'
import { stateFolder } from '../../state/state-folder.ts'

/** The folder of a schedule. */
export function scheduleFolder(context: Pick<Context, 'env' | 'cwd'>, name: string): string {
  return `${stateFolder(context)}/schedule/${name}`
}

/** Checks a name that becomes part of file names, unit names and labels. */
export function checkName(name: string): string {
  if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) && name.length <= 40) return name
  throw unusable(
    'the name',
    `\`${name}\` must consist of lower-case letters and digits with single hyphens between them, at most forty characters.`,
  )
}

/** An unusable option of a schedule. */
export function unusable(what: string, why: string): ConvergeError {
  return new ConvergeError('USAGE.SCHEDULE', {
    summary: `This cannot be scheduled: ${what} is not usable. Nothing was written.`,
    why,
    next: [converge(['schedule', 'cron', '--every', '1h', '--name', 'home', '--', 'drift', '--changed'])],
  })
}
