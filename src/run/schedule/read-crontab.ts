import { runTool } from '../../transports/child-process.ts'
import { toolFailed } from './schedule-failed.ts'

/**
 * Reads the crontab, one character per byte. A missing crontab is empty; any other failure is an error.
 *
 * @param withoutCron the answer of a machine that has no cron; undefined: that is an error as well
 */
export async function readCrontab(withoutCron?: string): Promise<string> {
  const result = await runTool('crontab', ['-l'], { env: { LC_ALL: 'C' }, bytes: {} })
  if (result.exitCode === 0) return result.stdout
  if (result.missing && withoutCron !== undefined) return withoutCron
  // The messages of most crons, then of BusyBox.
  if (/no crontab for /i.test(result.stderr)) return ''
  if (/^crontab: can't open '[^']*': No such file or directory$/.test(result.stderr.trim())) return ''
  throw toolFailed(['crontab', '-l'], result, ['The content of the crontab is unknown, so it was not changed.'])
}
