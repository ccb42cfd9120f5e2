import type { Writable } from 'node:stream'
import { callMain, define } from '../apply/remote-script.ts'
import { lastLines } from '../lib/last-lines.ts'
import type { FoundFile } from '../model/fetch.ts'
import { ReadOnlyScript } from '../transports/read-only-script.ts'
import type { HostView } from '../transports/transport.ts'
import { stampFunctions } from './digest-functions.ts'

/** A part of a file on another host. */
export interface SentPiece {
  /** Its state when its digest was taken. */
  readonly file: FoundFile
  /** Offset of its first byte. */
  readonly from: number
  readonly bytes: number
}

/** How long a piece may take in total; a stalled one is given up long before. */
const longestMs = 6 * 3600_000

/**
 * Reads a piece of a file, and checks before and after that the file is unchanged since it was hashed. Read-only on the host.
 *
 * @param into receives the bytes; it is not ended
 * @returns why the bytes must not be used; undefined: they match the file
 * @throws ConvergeError `CONNECT.*`, and the signal's reason
 */
export async function sendPiece(
  view: HostView,
  { file, from, bytes }: SentPiece,
  into: Writable,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { path, bytes: size, inode, modified, changed } = file
  const script = {
    label: 'read a file for another host',
    text: [`LC_ALL=C; export LC_ALL\n${stampFunctions}${define('main', sendScript)}\n${callMain}`],
    args: [path, `${size} ${inode} ${modified} ${changed}`, String(from), String(bytes)],
    elevate: true,
    timeoutMs: longestMs,
  }
  const { exitCode, stderr, timedOut } = await view.look(ReadOnlyScript.vouchedFor(script), { signal, output: into })
  if (timedOut) return 'it took too long'
  if (exitCode === 0) return undefined
  if (exitCode === changedCode) return `${path} has changed since its digest was taken`
  return `${path} is not readable${stderr === '' ? '' : `: ${lastLines(stderr)}`}`
}

const changedCode = 40

/** `$1` path, `$2` stamp, `$3` first byte, `$4` count. Any dd skips whole blocks without reading them. */
const sendScript = `
file=$1 given=$2 block=1048576
stamp_of "$file" && [ "$stamp" = "$given" ] && [ -f "$file" ] || exit ${changedCode}
[ -r "$file" ] || { echo "permission denied" >&2; exit 41; }
skipped=$(($3 % block))
dd if="$file" bs="$block" skip="$(($3 / block))" count="$(((skipped + $4 + block - 1) / block))" 2>/dev/null |
  if [ "$skipped" -gt 0 ]; then tail -c "+$((skipped + 1))"; else cat; fi | head -c "$4"
stamp_of "$file" && [ "$stamp" = "$given" ] || exit ${changedCode}
`
