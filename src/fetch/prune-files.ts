import type { HostLock } from '../apply/lock.ts'
import { guardedScript, readOutcome } from '../apply/remote-script.ts'
import { unsafeFolder } from '../apply/safe-folder.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { firstWords } from '../facts/fact.ts'
import { defined } from '../lib/defined.ts'
import { lastLines } from '../lib/last-lines.ts'
import { converge } from '../lib/next-command.ts'
import { ownMember } from '../lib/own-member.ts'
import type { Entry, PruneItem } from '../model/prune.ts'
import type { Transport } from '../transports/transport.ts'
import { pruneFunctions, pruneScript } from './prune-script.ts'

/** What to remove of one download, in a run that holds the lock of the host. */
export interface PruneOrder {
  /** Converge's folder on the host, absolute. */
  readonly root: string
  readonly id: string
  readonly items: readonly PruneItem[]
  readonly lock: Pick<HostLock, 'fence' | 'watch'>
  /** Unguessable, letters and digits. */
  readonly nonce: string
  /** Ends it on the host; what is left by then stays. */
  readonly force?: AbortSignal
}

/** For each item: gone, or why it was kept. */
export type PruneOutcome = { readonly item: PruneItem; readonly gone: true } | { readonly item: PruneItem; readonly why: string }

/** Removing hundreds of GiB takes long on some file systems. */
const timeoutMs = 600_000

/** Items at a time, because the length of arguments is limited. */
const mostAtOnce = 200

/**
 * Removes what was shown of one download if it is unchanged, then its record.
 *
 * @throws ConvergeError `PRUNE.IN_DOUBT`, `APPLY.LOCK_UNUSABLE` if others could change the record, `CONNECT.*`
 */
export async function pruneFiles(transport: Transport, order: PruneOrder): Promise<readonly PruneOutcome[]> {
  const ordered = order.items.filter(({ kind }) => kind !== 'record').toSorted((one, other) => rank(one) - rank(other))
  const record = order.items.filter(({ kind }) => kind === 'record')
  const outcomes: PruneOutcome[] = []
  let left: string | undefined
  for (let from = 0; from === 0 || from < ordered.length; from += mostAtOnce) {
    const items = ordered.slice(from, from + mostAtOnce)
    // oxlint-disable-next-line no-await-in-loop -- they share one lock
    const reasons = await pruneSome(transport, order, items)
    outcomes.push(...items.map((item, index) => outcomeOf(item, reasons[index + 1])))
    left = reasons[0]
  }
  return [...outcomes, ...record.map((item) => outcomeOf(item, left))]
}

/** The marker of an incomplete model goes last. */
function rank({ kind }: PruneItem): number {
  return kind === 'marker' ? 1 : 0
}

function outcomeOf(item: PruneItem, why: string | undefined): PruneOutcome {
  return why === undefined ? { item, gone: true } : { item, why }
}

/** Why each was kept, by its number from 1, with the record as number 0; missing: gone. */
type KeptReasons = Readonly<Record<number, string>>

async function pruneSome(transport: Transport, order: PruneOrder, items: readonly PruneItem[]): Promise<KeptReasons> {
  const { root, id, lock, nonce, force } = order
  const script = guardedScript({
    label: 'remove unused files',
    guards: [lock.fence],
    functions: [pruneFunctions],
    act: pruneScript,
    args: [root, id, ...items.map(lineOf)],
    timeoutMs,
    nonce,
  })
  const result = await transport.exec({ ...script, watch: lock.watch }, defined({ signal: force }))
  const outcome = readOutcome(result, nonce)
  const lines = result.stdout.trim().split('\n')
  const [first = ''] = lines
  if (outcome.kind === 'done' && first.startsWith('unsafe '))
    throw unsafeFolder(transport.host, root, first.slice('unsafe '.length))
  const why = outcome.kind === 'guard' ? hindrances.lost : ownMember(hindrances, first)
  if (why !== undefined) return Object.fromEntries([0, ...items.map((_, index) => index + 1)].map((number) => [number, why]))
  return reasonsIn(lines, order.id, items, (what) => inDoubt(transport.host, what, lastLines(result.stderr.trim())))
}

function reasonsIn(
  lines: readonly string[],
  id: string,
  items: readonly PruneItem[],
  doubt: (what: string) => ConvergeError,
): KeptReasons {
  const said: Record<number, string> = {}
  for (const [index, { path }] of items.entries()) {
    const number = index + 1
    if (lines.includes(`gone ${number}`)) continue
    const kept = lines.find((line) => line.startsWith(`kept ${number} `))
    if (kept === undefined) throw doubt(path)
    said[number] = firstWords(kept.slice(`kept ${number} `.length)) ?? 'the host gave no reason'
  }
  if (lines.includes('record gone')) return said
  if (!lines.includes('record cleaned') && !lines.includes('record left')) throw doubt(id)
  return { ...said, 0: 'some of its files remain, or their volume is not mounted' }
}

/** Reasons why nothing was removed. */
const hindrances = {
  lost: 'another run took over the lock of the host',
  busy: 'its download is running',
  changed: 'its record has changed since it was shown',
} as const

function lineOf({ kind, path, entry }: PruneItem): string {
  if (entry === undefined) return `${kind} ${path}`
  const { tree } = entry
  if (tree !== undefined) return `tree ${tree.bytes} ${tree.sum} ${path}`
  return `${kind === 'partial' ? 'part' : kind} ${stampOf(entry)} ${path}`
}

function stampOf({ bytes, inode, modified, changed, device }: Entry): string {
  return `${bytes} ${inode} ${modified} ${changed} ${device}`
}

function inDoubt(host: string, what: string, said: string): ConvergeError {
  return new ConvergeError('PRUNE.IN_DOUBT', {
    summary: 'The outcome of the removal is unknown.',
    why: `On ${host}, at ${what}: ${said === '' ? 'the host did not report the outcome' : said}.`,
    next: [converge(['prune', '--check'], { say: 'See what is left:' })],
  })
}
