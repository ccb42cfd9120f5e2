import { shell } from '../../lib/next-command.ts'
import { withBlock, withoutBlock } from '../../schedulers/crontab.ts'
import type { Entry } from '../../schedulers/job.ts'
import { runTool } from '../../transports/child-process.ts'
import { deleteFiles, lookAtFiles, restoreFiles, writeFiles } from './entry-files.ts'
import { scheduleFailed, toolFailed } from './schedule-failed.ts'

/** Script first: the crontab never names one that is not there. Everything else in the crontab stays as it is, to the byte. */
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

/** @returns what was there and is gone */
export async function removeFromCrontab(name: string, paths: readonly string[]): Promise<readonly string[]> {
  const after = withoutBlock(await readCrontab(), name)
  const before = await lookAtFiles(paths, name)
  if (after !== undefined) await writeCrontab(after)
  return [...(after === undefined ? [] : [`the block \`${name}\` of the crontab`]), ...(await deleteFiles(before))]
}

/** One character a byte. Whoever has none yet has an empty one; any other failure is no empty crontab. */
async function readCrontab(): Promise<string> {
  const result = await runTool('crontab', ['-l'], { env: { LC_ALL: 'C' }, bytes: {} })
  if (result.exitCode === 0) return result.stdout
  // The words of most crons; those of BusyBox.
  if (/no crontab for /i.test(result.stderr)) return ''
  if (/^crontab: can't open '[^']*': No such file or directory$/.test(result.stderr.trim())) return ''
  throw toolFailed(['crontab', '-l'], result, ['What is in the crontab is not known, so nothing was written into it.'])
}

async function writeCrontab(content: string): Promise<void> {
  const result = await runTool('crontab', ['-'], { bytes: { input: content } })
  if (result.exitCode !== 0) throw toolFailed(['crontab', '-'], result)
  const now = await readCrontab()
  if (!now.includes(content))
    throw scheduleFailed('`crontab -` said that it took the crontab, and `crontab -l` shows another one.', [shell('crontab -l')])
}

function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
