import { defined } from '../lib/defined.ts'
import type { WantedFile } from '../model/fetch.ts'
import type { Supplier } from '../simulate/fetch/neighbours.ts'
import type { Clock } from '../time/clock.ts'
import type { HostView, Transport } from '../transports/transport.ts'
import { PieceStream } from './piece-stream.ts'
import { type Copy, type Received, type Refused, receivePiece } from './receive-piece.ts'
import { sendPiece } from './send-piece.ts'

/** Copies a file from one host to another through this process. */
export interface FileCopy {
  readonly copy: Copy
  readonly file: WantedFile
  /** Bytes already there, as far as known. */
  readonly have: number
  readonly supplier: Supplier
  readonly receiver: Transport
  /** The host that has the file; reconnects if the last connection broke. */
  readonly source: () => Promise<HostView>
  readonly limits?: CopyLimits
  /** Called often with the bytes that have arrived, including those in transit. */
  readonly onProgress: (have: number) => void
  /** Bytes that are stored for good. */
  readonly took?: (have: number) => void
  readonly clock: Clock
  readonly signal: AbortSignal
}

export interface CopyLimits {
  /** Bytes sent at a time; after a failure the current piece is sent again. */
  readonly pieceBytes: number
  /** A piece without a byte for this long is given up. */
  readonly stallMs: number
}

export const copyLimits: CopyLimits = { pieceBytes: 64 * 1024 ** 2, stallMs: 120_000 }

/** `whole`: complete, but not hashed yet. `source`: the other host does not deliver it. */
export type Copied = { readonly ended: 'whole' } | { readonly ended: 'source'; readonly why: string } | Refused

/** Limit for a host that answers but never advances. */
const mostCorrections = 20

/**
 * Copies the missing part of a file, piece by piece. Buffers only what is in transit.
 *
 * @throws ConvergeError `CONNECT.*` of the receiving host, `FETCH.NOT_STARTED`; and the signal's reason
 */
export async function copyFile(one: FileCopy): Promise<Copied> {
  const { file, limits = copyLimits, onProgress, took } = one
  let { have } = one
  let isFirst = true
  for (let corrections = 0; corrections < mostCorrections; ) {
    const bytes = Math.min(limits.pieceBytes, file.bytes - have)
    // oxlint-disable-next-line no-await-in-loop -- one piece after another
    const { received, trouble } = await copyPiece(one, { from: have, bytes, isFirst }, limits)
    isFirst = false
    if (received.ended === 'there') return { ended: 'whole' }
    if (received.ended === 'took') have += bytes
    else if (received.ended === 'at') {
      have = received.bytes
      corrections += 1
    } else if (received.ended === 'short') return { ended: 'source', why: trouble ?? 'a piece arrived incomplete' }
    else return received
    onProgress(have)
    took?.(have)
    if (have >= file.bytes) return { ended: 'whole' }
  }
  return { ended: 'busy' }
}

interface Piece {
  readonly from: number
  readonly bytes: number
  readonly isFirst: boolean
}

async function copyPiece(
  { copy, file, supplier, receiver, source, onProgress, clock, signal }: FileCopy,
  { from, bytes, isFirst }: Piece,
  { stallMs }: CopyLimits,
): Promise<{ readonly received: Received; readonly trouble?: string }> {
  const over = new AbortController()
  const stream = new PieceStream(bytes, (came) => onProgress(from + came))
  const about = { file, from, bytes, source: isFirst ? supplier.host : '' }
  const receiving = receivePiece(receiver, copy, about, { input: stream, signal }).finally(() => {
    over.abort()
    stream.destroy()
  })
  const sending = send({ stream, bytes, from, supplier, source }, AbortSignal.any([signal, over.signal]))
  const watching = stalls(stream, { stallMs, clock }, over.signal)
  const trouble = Promise.race([sending, watching]).then((why) => {
    // Confirms a piece only if it is known to match the file.
    if (why === undefined) stream.confirm()
    else stream.destroy()
    return why
  })
  const [received, why] = await Promise.all([receiving, trouble])
  return { received, ...defined({ trouble: why }) }
}

interface Sending extends Pick<FileCopy, 'supplier' | 'source'> {
  readonly stream: PieceStream
  readonly from: number
  readonly bytes: number
}

/** Never throws: the receiver reports how it ended. */
async function send({ stream, supplier, source, from, bytes }: Sending, signal: AbortSignal): Promise<string | undefined> {
  try {
    const why = await sendPiece(await source(), { file: supplier.file, from, bytes }, stream, signal)
    if (why !== undefined) return why
    await stream.passed()
    return stream.came === bytes ? undefined : `it sent ${stream.came} of ${bytes} bytes`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Settles if no byte arrives for a while; never settles if the piece ends first. */
async function stalls(
  stream: PieceStream,
  { stallMs, clock }: { readonly stallMs: number; readonly clock: Clock },
  over: AbortSignal,
): Promise<string | undefined> {
  for (let came = -1; stream.came !== came; ) {
    came = stream.came
    // oxlint-disable-next-line no-await-in-loop -- waits on purpose
    await clock.sleep(stallMs, over)
    if (over.aborted) return new Promise(() => undefined)
  }
  return 'no more bytes arrived'
}
