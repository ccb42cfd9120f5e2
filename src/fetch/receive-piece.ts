import type { Readable } from 'node:stream'
import { callMain, define } from '../apply/remote-script.ts'
import { safeFolderFunctions, unsafeFolder } from '../apply/safe-folder.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { lastLines } from '../lib/last-lines.ts'
import { type FetchFailure, type FetchOrder, fetchFailures, type WantedFile } from '../model/fetch.ts'
import type { Transport } from '../transports/transport.ts'
import { openCopyFunctions, receiveScript } from './receive-script.ts'
import { type Fetcher, writtenOrder } from './written-order.ts'

/** A model that a host is to be given files of by other hosts. */
export interface Copy {
  /** Converge's folder on the host, absolute. */
  readonly root: string
  readonly order: FetchOrder
  /** Letters and digits, new for every copy. */
  readonly nonce: string
  readonly by: Fetcher
}

/** `busy`: another job or copy works on it. `stopped`: `fetch stop`, or another copy began. */
export type Refused = { readonly ended: 'busy' | 'stopped' } | { readonly ended: 'failed'; readonly reason: FetchFailure }

export type Received =
  /** All of it is behind what was there. */
  | { readonly ended: 'took' }
  /** So many bytes are there, and it begins elsewhere. */
  | { readonly ended: 'at'; readonly bytes: number }
  /** Something has the name of the file. */
  | { readonly ended: 'there' }
  /** Not all of it came. */
  | { readonly ended: 'short' }
  | Refused

/**
 * Writes down on a host what it is to be given, as its job would. Whatever has arrived there before is kept.
 *
 * @throws ConvergeError `CONNECT.*`, `FETCH.NOT_STARTED`, `APPLY.LOCK_UNUSABLE` where others could exchange what is written
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

/** `$1` converge's folder, `$2` id, `$3` nonce, `$4` files, `$5` about. Keys lie below the folder, which accounts of services read. */
const openScript = `
unsafe=$(unsafe_above "$1/fetch")
if [ -n "$unsafe" ]; then echo "unsafe $unsafe"; exit 0; fi
umask 022
mkdir -p "$1" || exit 1
umask 077
mkdir -p "$1/fetch/$2" || exit 1
open_copy "$1/fetch/$2" "$3" "$4" "$5"
`

/** A part of a file on its way to a host. */
export interface ReceivedPiece {
  readonly file: WantedFile
  /** Of its first byte, counted from 0. */
  readonly from: number
  readonly bytes: number
  /** The host it comes from, for the log; empty: it is there already. */
  readonly source: string
}

/** How long a piece may take at all; one that stands still is given up long before. */
const longestMs = 6 * 3600_000

/**
 * Puts a piece behind what is there of its file.
 *
 * @param input the piece, and one byte more once it is known to be what the file holds
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
  // Who was killed says nothing.
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
    why: `On ${host}: ${lastLines(said.trim()) || 'it gave no sign of life'}`,
    next: ['Check that the disk of its converge_dir is not full, then run converge fetch again.'],
  })
}
