import type { Writable } from 'node:stream'
import { callMain, define } from '../apply/remote-script.ts'
import { lastLines } from '../lib/last-lines.ts'
import type { FoundFile } from '../model/fetch.ts'
import { ReadOnlyScript } from '../transports/read-only-script.ts'
import type { HostView } from '../transports/transport.ts'
import { stampFunctions } from './digest-functions.ts'

/** A part of a file that another host has. */
export interface SentPiece {
  /** As it was when its digest was taken. */
  readonly file: FoundFile
  /** Of its first byte, counted from 0. */
  readonly from: number
  readonly bytes: number
}

/** How long a piece may take at all; one that stands still is given up long before. */
const longestMs = 6 * 3600_000

/**
 * Reads a piece of a file, and looks before and after whether it is still the file that was proved. The host is only looked at.
 *
 * @param into takes the bytes; it is not ended
 * @returns why what was read is not to be used; undefined: it is what the file held
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
  if (exitCode === changedCode) return `${path} was changed since its digest was taken`
  return `${path} cannot be read${stderr === '' ? '' : `: ${lastLines(stderr)}`}`
}

const changedCode = 40

/** `$1` path, `$2` stamp, `$3` first byte, `$4` count. Whole blocks are skipped without being read, whatever dd it is. */
const sendScript = `
file=$1 stamp=$2 block=1048576
[ "$(stat_of "$file")" = "$stamp" ] && [ -f "$file" ] || exit ${changedCode}
[ -r "$file" ] || { echo "it may not be read" >&2; exit 41; }
skipped=$(($3 % block))
dd if="$file" bs="$block" skip="$(($3 / block))" count="$(((skipped + $4 + block - 1) / block))" 2>/dev/null |
  if [ "$skipped" -gt 0 ]; then tail -c "+$((skipped + 1))"; else cat; fi | head -c "$4"
[ "$(stat_of "$file")" = "$stamp" ] || exit ${changedCode}
`
