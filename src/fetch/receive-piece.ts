import type { Readable } from 'node:stream'
import { callMain, define } from '../apply/remote-script.ts'
import { unsafeFolder } from '../apply/safe-folder.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { lastLines } from '../lib/last-lines.ts'
import { safeFolderFunctions } from '../managers/safe-folder-script.ts'
import { type FetchFailure, type FetchOrder, fetchFailures, type WantedFile } from '../model/fetch.ts'
import type { Transport } from '../transports/transport.ts'
import { openCopyFunctions, receiveScript } from './receive-script.ts'
import { type Fetcher, writtenOrder } from './written-order.ts'

/** Files of a model that other hosts send to a host. */
export interface Copy {
  /** Converge's folder on the host, absolute. */
  readonly root: string
  readonly order: FetchOrder
  /** Letters and digits, new for every copy. */
  readonly nonce: string
  readonly by: Fetcher
}

/** `busy`: another job or copy works on it. `stopped`: by `fetch stop`, or because another copy began. */
export type Refused = { readonly ended: 'busy' | 'stopped' } | { readonly ended: 'failed'; readonly reason: FetchFailure }

export type Received =
  /** Appended completely. */
  | { readonly ended: 'took' }
  /** The file has this many bytes; the piece starts elsewhere. */
  | { readonly ended: 'at'; readonly bytes: number }
  /** The file's name is taken. */
  | { readonly ended: 'there' }
  /** Incomplete. */
  | { readonly ended: 'short' }
  | Refused

/**
 * Records on a host what it will receive, as its job would. Keeps what has arrived there before.
 *
 * @throws ConvergeError `CONNECT.*`, `FETCH.NOT_STARTED`, `APPLY.LOCK_UNUSABLE` if others could replace the record
 */
export async function openCopy(
  transport: Transport,
  { root, order, nonce, by }: Copy,
): Promise<{ readonly ended: 'open' } | Refused> {
  const { files, about } = writtenOrder(order, by)
  const result = await transport.exec({
    label: `fetch ${order.repo}`,
    text: [`LC_ALL=C; export LC_ALL\n${safeFolderFunctions}${openCopyFunctions}${define('main', openScript)}\n${callMain}`],
    args: [root, order.id, nonce, files, about],
    elevate: true,
    timeoutMs: 60_000,
  })
  const said = result.stdout.trim()
  if (said === 'open') return { ended: 'open' }
  if (said.startsWith('unsafe ')) throw unsafeFolder(transport.host, root, said.slice('unsafe '.length))
  return refusedBy(said) ?? fault(transport, `${result.stdout}\n${result.stderr}`)
}

/** `$1` converge's folder, `$2` id, `$3` nonce, `$4` files, `$5` about. The folder is readable, because accounts of services read keys below it. */
const openScript = `
unsafe=$(unsafe_above "$1/fetch")
if [ -n "$unsafe" ]; then echo "unsafe $unsafe"; exit 0; fi
umask 022
mkdir -p "$1" || exit 1
umask 077
mkdir -p "$1/fetch/$2" || exit 1
open_copy "$1/fetch/$2" "$3" "$4" "$5"
`

/** A part of a file in transit to a host. */
export interface ReceivedPiece {
  readonly file: WantedFile
  /** Offset of its first byte. */
  readonly from: number
  readonly bytes: number
  /** The sending host, for the log; empty: already logged. */
  readonly source: string
}

/** How long a piece may take in total; a stalled one is given up long before. */
const longestMs = 6 * 3600_000

/**
 * Appends a piece to its file.
 *
 * @param input the piece, plus one extra byte once it is known to match the file
 * @throws ConvergeError `CONNECT.*`, `FETCH.NOT_STARTED`, and the signal's reason
 */
export async function receivePiece(
  transport: Transport,
  { root, order, nonce, by }: Copy,
  { file, from, bytes, source }: ReceivedPiece,
  { input, signal }: { readonly input: Readable; readonly signal: AbortSignal },
): Promise<Received> {
  const { digest, path } = file
  const { marker } = writtenOrder(order, by)
  const numbers = [from, bytes].map(String)
  const about = [String(file.bytes), digest.kind, digest.hex, path, ...numbers, marker, source]
  const result = await transport.exec(
    {
      label: 'receive a file from another host',
      text: [`${define('main', 'script=$1; shift; /bin/sh -c "$script" receive "$@"')}\n${callMain}`],
      args: [receiveScript, `${root}/fetch/${order.id}`, nonce, ...about],
      elevate: true,
      timeoutMs: longestMs,
    },
    { input, signal },
  )
  const said = result.stdout.trim()
  const plain = plainEnds.find((one) => one === said)
  if (plain !== undefined) return { ended: plain }
  const at = /^at (\d{1,15})$/.exec(said)?.[1]
  if (at !== undefined) return { ended: 'at', bytes: Number(at) }
  // A killed script prints nothing.
  if (said === '' && result.exitCode !== 0) return { ended: 'stopped' }
  return refusedBy(said) ?? fault(transport, `${result.stdout}\n${result.stderr}`)
}

const plainEnds = ['took', 'there', 'short'] as const

function refusedBy(said: string): Refused | undefined {
  if (said === 'busy' || said === 'stopped') return { ended: said }
  const reason = fetchFailures.find((one) => said === `failed ${one}`)
  return reason === undefined ? undefined : { ended: 'failed', reason }
}

function fault({ host }: Transport, said: string): never {
  throw new ConvergeError('FETCH.NOT_STARTED', {
    summary: 'The copy could not be started.',
    why: `On ${host}: ${lastLines(said.trim()) || 'it did not answer'}`,
    next: ['Check that the disk of its converge_dir is not full, then run converge fetch again.'],
  })
}
