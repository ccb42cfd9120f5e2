import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { UnreadableFile } from '../inventory/unreadable-file.ts'
import { digestOf } from '../lib/digest.ts'
import { readOwnFile } from '../load/read-regular-file.ts'
import type { NotifyTarget } from '../model/fleet.ts'
import type { SentAlert } from '../model/notification.ts'
import { doubtSent, parseSentAlerts, sentAlertsText } from '../notify/sent-alerts-file.ts'
import { targetWords } from '../notify/target-words.ts'
import { beyond, storedFiles } from './journal-retention.ts'
import { openStateFolder, stateFolder } from './state-folder.ts'
import { writeWhole } from './write-whole.ts'

const folderName = 'sent-alerts'
const maxBytes = 64 * 1024 * 1024

/** Limits on the number and size of kept states, one for each inventory and target. */
const limits = { runs: 500, bytes: 256 * 1024 * 1024 }

/** A clock further behind the last message was set back. */
const toleranceMs = 2 * 60 * 1000

type StateAccess = Pick<Context, 'env' | 'cwd' | 'err' | 'now'>

/** The alerts that one target was sent for one inventory. */
export interface NotificationState {
  readonly sent: readonly SentAlert[]
  /** The file exists but is unusable. */
  readonly damaged: boolean
  /** On failure prints a note; the next run sends the alerts again. */
  remember(sent: readonly SentAlert[]): Promise<void>
}

/**
 * Reads what a target was sent. A state that is unreadable, or from a clock ahead of ours, is reported on stderr and counts as not sent:
 * better twice than never.
 *
 * @param inventory absolute, links resolved
 * @param ordinal index among identical targets
 */
export async function readNotificationState(
  access: StateAccess,
  inventory: string,
  target: NotifyTarget,
  ordinal: number,
): Promise<NotificationState> {
  const { way } = target
  const words = targetWords(target)
  const address = way.kind === 'webhook' ? { ...way, insecure: null } : way
  const name = `${digestOf([inventory, address, ordinal]).slice(0, 32)}.json`
  return {
    ...(await readFile(access, join(stateFolder(access), folderName, name), words)),
    remember: async (sent) => {
      try {
        const text = sentAlertsText({ schema: 'converge/sent-alerts/v1', at: access.now().toISOString(), target: words, sent })
        const folder = await openStateFolder(access, folderName)
        await writeWhole(join(folder, name), text, { mode: 0o600 })
        await forgetOldest(folder)
      } catch (error) {
        if (!(error instanceof ConvergeError)) throw error
        access.err.writeProse(`Cannot record what was sent to ${words}, so the next run sends it again: ${error.why}\n`)
      }
    },
  }
}

type StoredState = Pick<NotificationState, 'sent' | 'damaged'>

async function readFile({ err, now }: StateAccess, path: string, words: string): Promise<StoredState> {
  const again = (why: string) => err.writeProse(`The notification state of ${words} ${why}; all findings are sent again.\n`)
  try {
    const file = parseSentAlerts(await readOwnFile(path, maxBytes))
    if (file === undefined) again(`cannot be read (${path} is damaged)`)
    if (file === undefined) return { sent: [], damaged: true }
    const { at, sent } = file
    if (sent.length === 0 || Date.parse(at) <= now().getTime() + toleranceMs) return { sent, damaged: false }
    again(`was written at ${at}, which is in the future by the clock of this machine`)
    return { sent: doubtSent(sent), damaged: true }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return { sent: [], damaged: false }
    again(`cannot be read (${path}: ${error.message})`)
    return { sent: [], damaged: true }
  }
}

/** Deletes the states that were not used for the longest time. Errors are ignored. */
async function forgetOldest(folder: string): Promise<void> {
  try {
    const stored = await storedFiles(await readdir(folder), (name) => join(folder, name))
    const newestFirst = stored.toSorted((a, b) => b.writtenAt - a.writtenAt)
    for (const { name } of await beyond(newestFirst, limits, async () => true)) await rm(join(folder, name), { force: true })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}
