import { shell } from '../../lib/next-command.ts'
import { withBlock, withoutBlock } from '../../schedulers/crontab.ts'
import type { Entry } from '../../schedulers/job.ts'
import { runTool } from '../../transports/child-process.ts'
import { deleteFiles, lookAtFiles, restoreFiles, writeFiles } from './entry-files.ts'
import { scheduleFailed, toolFailed } from './schedule-failed.ts'

/** Writes the script first, so that the crontab never names a missing one. Everything else in the crontab stays byte for byte. */
export async function installInCrontab({ name, files, crontab: block = '' }: Entry): Promise<void> {
  const before = await readCrontab()
  const after = withBlock(before, name, bytesOf(block))
  const filesBefore = await lookAtFiles(
    files.map(({ path }) => path),
    name,
  )
  await writeFiles(files)
  try {
    if (after !== before) await writeCrontab(after)
  } catch (error) {
    await restoreFiles(filesBefore, files)
    throw error
  }
}

/** @returns what was removed */
export async function removeFromCrontab(name: string, paths: readonly string[]): Promise<readonly string[]> {
  const after = withoutBlock(await readCrontab(), name)
  const before = await lookAtFiles(paths, name)
  if (after !== undefined) await writeCrontab(after)
  return [...(after === undefined ? [] : [`the block \`${name}\` of the crontab`]), ...(await deleteFiles(before))]
}

/** Reads the crontab, one character per byte. A missing crontab is empty; any other failure is an error. */
async function readCrontab(): Promise<string> {
  const result = await runTool('crontab', ['-l'], { env: { LC_ALL: 'C' }, bytes: {} })
  if (result.exitCode === 0) return result.stdout
  // The messages of most crons, then of BusyBox.
  if (/no crontab for /i.test(result.stderr)) return ''
  if (/^crontab: can't open '[^']*': No such file or directory$/.test(result.stderr.trim())) return ''
  throw toolFailed(['crontab', '-l'], result, ['The content of the crontab is unknown, so it was not changed.'])
}

async function writeCrontab(content: string): Promise<void> {
  const result = await runTool('crontab', ['-'], { bytes: { input: content } })
  if (result.exitCode !== 0) throw toolFailed(['crontab', '-'], result)
  const now = await readCrontab()
  if (!now.includes(content))
    throw scheduleFailed('`crontab -` succeeded, but `crontab -l` shows another crontab.', [shell('crontab -l')])
}

function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
