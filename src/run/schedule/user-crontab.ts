import { shell } from '../../lib/next-command.ts'
import { withBlock, withoutBlock } from '../../schedulers/crontab.ts'
import type { Entry } from '../../schedulers/job.ts'
import { runTool } from '../../transports/child-process.ts'
import { deleteFiles, lookAtFiles, restoreFiles, writeFiles } from './entry-files.ts'
import { readCrontab } from './read-crontab.ts'
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
