import { join } from 'node:path'
import { ConvergeError } from '../errors/converge-error.ts'
import { digestOf } from '../lib/digest.ts'
import type { NotifyTarget } from '../model/fleet.ts'
import type { ToldConcern } from '../model/notification.ts'
import { targetWords } from '../notify/target-words.ts'
import { doubtTold, parseTold, toldText } from '../notify/told-file.ts'
import type { Context } from './context.ts'
import { writeWhole } from './deliver.ts'
import { readOwnFile, UnreadableFile } from './read-own-file.ts'
import { openStateFolder, stateFolder } from './state-folder.ts'

const folderName = 'told'
const mostBytes = 64 * 1024 * 1024

/** A clock that is behind the last message by more was set back. */
const toleranceMs = 2 * 60 * 1000

type Place = Pick<Context, 'env' | 'cwd' | 'err' | 'now'>

/** What one target was told of one inventory. */
export interface ToldState {
  readonly told: readonly ToldConcern[]
  /** Where it cannot be written down it is said, and told again by the next run. */
  remember(told: readonly ToldConcern[]): Promise<void>
}

/**
 * What cannot be read, or was told by a clock that is ahead of ours, is said on stderr and counts as not told: rather twice than never.
 *
 * @param inventory absolute, without links
 * @param ordinal which of the targets that are the same
 */
export async function readTold(place: Place, inventory: string, target: NotifyTarget, ordinal: number): Promise<ToldState> {
  const { way } = target
  const words = targetWords(target)
  const address = way.kind === 'webhook' ? { ...way, insecure: null } : way
  const name = `${digestOf([inventory, address, ordinal]).slice(0, 32)}.json`
  return {
    told: await readFile(place, join(stateFolder(place), folderName, name), words),
    remember: async (told) => {
      try {
        const text = toldText({ schema: 'converge/told/v1', at: place.now().toISOString(), target: words, told })
        await writeWhole(join(await openStateFolder(place, folderName), name), text, 0o600)
      } catch (error) {
        if (!(error instanceof ConvergeError)) throw error
        place.err.write(`What was told to ${words} cannot be written down, so the next run tells it again: ${error.why}\n`)
      }
    },
  }
}

async function readFile({ err, now }: Place, path: string, words: string): Promise<readonly ToldConcern[]> {
  const again = (why: string) => err.write(`What ${words} was told last ${why}; what is found is told again.\n`)
  try {
    const file = parseTold(await readOwnFile(path, mostBytes))
    if (file === undefined) again(`cannot be read (${path} is damaged)`)
    if (file === undefined || Date.parse(file.at) <= now().getTime() + toleranceMs) return file?.told ?? []
    again(`was told at ${file.at}, which is still to come by the clock of this machine`)
    return doubtTold(file.told)
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') again(`cannot be read (${path}: ${error.message})`)
    return []
  }
}
