import prettyBytes from 'pretty-bytes'
import prettyMs from 'pretty-ms'
import type { FetchedFile, FileProgress } from '../model/event.ts'

const barWidth = 20
/** A narrower bar shows nothing. */
const leastBar = 6
/** What stands beside it at most: `100%  999.9 GiB of 999.9 GiB  999.9 MiB/s  59m 59s left`. */
const besideBar = 58

/** `nas  qwen3  model-00002-of-00003.gguf` */
export function fileName({ host, service, name }: FetchedFile): string {
  return `${host}  ${service}  ${name}`
}

/**
 * `━━━━━━━━━───────────   45%  6.7 GiB of 14.9 GiB  41 MiB/s  3m 12s left`
 * @param room columns; where it is tight, the bar gives way to the figures
 */
export function progressWords(file: FetchedFile, progress: FileProgress, room = barWidth + besideBar): string {
  const width = Math.min(barWidth, room - besideBar)
  if ((progress.state !== 'fetching' && progress.state !== 'hashing') || width < leastBar) return plainProgress(file, progress)
  const full = Math.floor(ratioOf(file, progress) * width)
  return `${'━'.repeat(full)}${'─'.repeat(width - full)}  ${plainProgress(file, progress)}`
}

/** The same without the bar. */
export function plainProgress(file: FetchedFile, { state, have, bytesPerS, etaS, note }: FileProgress): string {
  const { bytes } = file
  const size = binary(bytes)
  if (state === 'done') return `${size}, digest right`
  if (state === 'failed') return note ?? 'failed'
  if (state === 'waiting') return size
  const share = `${String(Math.floor(ratioOf(file, { have }) * 100)).padStart(3)}%  ${binary(have)} of ${size}`
  if (state === 'stopped') return `${share}  ${note ?? 'stopped'}`
  return [
    share,
    ...(state === 'hashing' ? ['hashing'] : []),
    ...(note === undefined ? [] : [note]),
    ...(bytesPerS === undefined ? [] : [`${binary(Math.round(bytesPerS))}/s`]),
    ...(etaS === undefined ? [] : [`${prettyMs(etaS * 1000, { unitCount: 2, secondsDecimalDigits: 0 })} left`]),
  ].join('  ')
}

function ratioOf({ bytes }: FetchedFile, { have }: Pick<FileProgress, 'have'>): number {
  return bytes === 0 ? 1 : Math.min(have / bytes, 1)
}

function binary(bytes: number): string {
  return prettyBytes(bytes, { binary: true })
}
