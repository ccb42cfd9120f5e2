import { setTimeout as sleep } from 'node:timers/promises'
import { ConvergeError } from '../../errors/converge-error.ts'
import { converge } from '../../lib/next-command.ts'
import type { Account, Entry } from '../../schedulers/job.ts'
import { domainOf, labelOf, plistPath } from '../../schedulers/launchd.ts'
import { runTool } from '../../transports/child-process.ts'
import { deleteFiles, lookAtFiles, restoreFiles, writeFiles } from './entry-files.ts'
import { toolFailed } from './schedule-failed.ts'

/** launchd returns 5 while a job is still being unloaded. */
const draining = { code: 5, tries: 20, pauseMs: 500 }

/** Replaces the job that is loaded under this label. */
export async function installAgent({ name, files }: Entry, account: Account): Promise<void> {
  mustBeMac()
  const before = await lookAtFiles(
    files.map(({ path }) => path),
    name,
  )
  try {
    await writeFiles(files)
    await unload(name, account)
    await load(name, account)
  } catch (error) {
    await restoreFiles(before, files)
    if (before.every(({ content }) => content !== undefined)) await load(name, account).catch(() => undefined)
    throw error
  }
}

/** @returns what was removed */
export async function removeAgent(name: string, paths: readonly string[], account: Account): Promise<readonly string[]> {
  mustBeMac()
  const before = await lookAtFiles(paths, name)
  if (before.every(({ content }) => content === undefined)) return []
  await unload(name, account)
  return deleteFiles(before)
}

async function load(name: string, account: Account): Promise<void> {
  // A job that was once disabled would not be loaded.
  await runTool('launchctl', ['enable', `${domainOf(account)}/${labelOf(name)}`])
  const words = ['bootstrap', domainOf(account), plistPath(name, account)]
  for (let tried = 1; ; tried += 1) {
    const result = await runTool('launchctl', words)
    if (result.exitCode === 0) return
    if (result.exitCode !== draining.code || tried === draining.tries)
      throw toolFailed(['launchctl', ...words], result, ['An agent needs a graphical login session on the Mac.'])
    await sleep(draining.pauseMs)
  }
}

/** A job that is not loaded is success. */
async function unload(name: string, account: Account): Promise<void> {
  const job = `${domainOf(account)}/${labelOf(name)}`
  const result = await runTool('launchctl', ['bootout', job])
  if (result.missing) throw toolFailed(['launchctl', 'bootout', job], result)
  if (result.exitCode === 0) return
  if ((await runTool('launchctl', ['print', job])).exitCode === 0) throw toolFailed(['launchctl', 'bootout', job], result)
}

function mustBeMac(): void {
  if (process.platform === 'darwin') return
  throw new ConvergeError('USAGE.SCHEDULE', {
    summary: 'launchd exists on macOS only. Nothing was written.',
    why: `This machine runs ${process.platform}. Without --install the entry is printed, on any machine.`,
    next: [converge(['schedule', 'systemd'], { fillIn: '…' }), converge(['schedule', 'cron'], { fillIn: '…' })],
  })
}
