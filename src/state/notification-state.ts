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

const folderName = 'told'
const maxBytes = 64 * 1024 * 1024

/** So many readers of so many inventories are remembered, and so many bytes of what they were told. */
const limits = { runs: 500, bytes: 256 * 1024 * 1024 }

/** A clock that is behind the last message by more was set back. */
const toleranceMs = 2 * 60 * 1000

type Place = Pick<Context, 'env' | 'cwd' | 'err' | 'now'>

/** What one target was told of one inventory. */
export interface NotificationState {
  readonly sent: readonly SentAlert[]
  /** There is a file, and it says something else. */
  readonly damaged: boolean
  /** Where it cannot be written down it is said, and told again by the next run. */
  remember(sent: readonly SentAlert[]): Promise<void>
}

/**
 * What cannot be read, or was told by a clock that is ahead of ours, is said on stderr and counts as not told: rather twice than never.
 *
 * @param inventory absolute, without links
 * @param ordinal which of the targets that are the same
 */
export async function readNotificationState(
  place: Place,
  inventory: string,
  target: NotifyTarget,
  ordinal: number,
): Promise<NotificationState> {
  const { way } = target
  const words = targetWords(target)
  const address = way.kind === 'webhook' ? { ...way, insecure: null } : way
  const name = `${digestOf([inventory, address, ordinal]).slice(0, 32)}.json`
  return {
    ...(await readFile(place, join(stateFolder(place), folderName, name), words)),
    remember: async (sent) => {
      try {
        const text = sentAlertsText({ schema: 'converge/told/v1', at: place.now().toISOString(), target: words, told: sent })
        const folder = await openStateFolder(place, folderName)
        await writeWhole(join(folder, name), text, { mode: 0o600 })
        await forgetOldest(folder)
      } catch (error) {
        if (!(error instanceof ConvergeError)) throw error
        place.err.writeProse(`Cannot record what was sent to ${words}, so the next run sends it again: ${error.why}\n`)
      }
    },
  }
}

type Read = Pick<NotificationState, 'sent' | 'damaged'>

async function readFile({ err, now }: Place, path: string, words: string): Promise<Read> {
  const again = (why: string) => err.writeProse(`The notification state of ${words} ${why}; all findings are sent again.\n`)
  try {
    const file = parseSentAlerts(await readOwnFile(path, maxBytes))
    if (file === undefined) again(`cannot be read (${path} is damaged)`)
    if (file === undefined) return { sent: [], damaged: true }
    const { at, told: sent } = file
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

/** Readers that nobody has looked for in a long time. What cannot be deleted is left for another time. */
async function forgetOldest(folder: string): Promise<void> {
  try {
    const stored = await storedFiles(await readdir(folder), (name) => join(folder, name))
    const newestFirst = stored.toSorted((a, b) => b.writtenAt - a.writtenAt)
    for (const { name } of await beyond(newestFirst, limits, async () => true)) await rm(join(folder, name), { force: true })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}
