import { shell } from '../../lib/next-command.ts'
import type { Account, Entry } from '../../schedulers/job.ts'
import { unitOf } from '../../schedulers/systemd.ts'
import { runTool } from '../../transports/child-process.ts'
import { deleteFiles, lookAtFiles, restoreFiles, writeFiles } from './entry-files.ts'
import { toolFailed } from './schedule-failed.ts'

/** @returns notes for the user */
export async function installTimer({ name, files }: Entry, account: Account): Promise<readonly string[]> {
  const paths = files.map(({ path }) => path)
  const before = await lookAtFiles(paths, name)
  const timer = `${unitOf(name)}.timer`
  try {
    await writeFiles(files)
    await systemctl(account, 'daemon-reload')
    await systemctl(account, 'enable', '--now', timer)
    // An active timer would keep its old definition.
    await systemctl(account, 'restart', timer)
  } catch (error) {
    if (before.every(({ content }) => content === undefined)) await quietly(account, 'disable', '--now', timer)
    await restoreFiles(before, files)
    await quietly(account, 'daemon-reload')
    throw error
  }
  return lingerNotes(account)
}

/** @returns what was removed */
export async function removeTimer(name: string, paths: readonly string[], account: Account): Promise<readonly string[]> {
  const before = await lookAtFiles(paths, name)
  if (before.every(({ content }) => content === undefined)) return []
  await systemctl(account, 'disable', '--now', `${unitOf(name)}.timer`)
  const gone = await deleteFiles(before)
  await systemctl(account, 'daemon-reload')
  return gone
}

/** Without lingering, a user's timers run only while that user is logged in. */
async function lingerNotes({ uid }: Account): Promise<readonly string[]> {
  if (uid === 0) return []
  const { exitCode, stdout } = await runTool('loginctl', ['show-user', String(uid), '--property=Linger'])
  if (exitCode === 0 && stdout.trim() === 'Linger=yes') return []
  const known = exitCode === 0 && stdout.trim() === 'Linger=no'
  return [
    `${known ? 'Lingering is off for this account' : 'Whether this account lingers is unknown'}: without it, the timer runs only while you are logged in.  loginctl enable-linger`,
  ]
}

async function systemctl(account: Account, ...args: readonly string[]): Promise<void> {
  const words = scoped(account, args)
  const result = await runTool('systemctl', words)
  if (result.exitCode === 0) return
  const noBus = account.uid !== 0 && /connect to .*bus/i.test(result.stderr)
  const hint = shell('export XDG_RUNTIME_DIR=/run/user/$(id -u)', {
    say: 'Log in directly (not with su or sudo), or:',
  })
  throw toolFailed(['systemctl', ...words], result, noBus ? [hint] : [])
}

/** For rollbacks: ignores errors. */
async function quietly(account: Account, ...args: readonly string[]): Promise<void> {
  await runTool('systemctl', scoped(account, args))
}

function scoped({ uid }: Account, args: readonly string[]): readonly string[] {
  return uid === 0 ? args : ['--user', ...args]
}
