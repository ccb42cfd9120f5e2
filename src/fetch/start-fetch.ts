import { callMain, define } from '../apply/remote-script.ts'
import { leaveFunctions, processFunctions } from '../apply/rollback-timer-process.ts'
import { unsafeFolder } from '../apply/safe-folder.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { lastLines } from '../lib/last-lines.ts'
import { safeFolderFunctions } from '../managers/safe-folder-script.ts'
import type { FetchOrder } from '../model/fetch.ts'
import type { Secret } from '../model/secret.ts'
import type { Transport } from '../transports/transport.ts'
import { jobScript } from './job-script.ts'
import { type Fetcher, writtenOrder } from './written-order.ts'

/** Limits for the requests of a job. */
export interface FetchLimits {
  /** Bytes per request. */
  readonly pieceBytes: number
  /** Seconds without a byte after which a request is given up. */
  readonly stallS: number
  /** Consecutive requests without a byte after which the job gives up. */
  readonly tries: number
  /** Seconds before the first retry; doubled for each further one, up to `longestPauseS`. */
  readonly pauseS: number
  readonly longestPauseS: number
}

/** Survives a restarting router or an hour of downtime at the hub: without a byte it retries for more than two hours. */
export const fetchLimits: FetchLimits = { pieceBytes: 1024 ** 3, stallS: 60, tries: 150, pauseS: 2, longestPauseS: 60 }

/** The result of starting a job. */
export type Started = { readonly outcome: 'begun' } | { readonly outcome: 'busy'; readonly holder: string }

/** Who fetches, and how. */
export interface FetchStart extends Fetcher {
  /** Letters and digits, new for every start. */
  readonly nonce: string
  readonly token?: Secret
  readonly limits?: FetchLimits
}

/**
 * Starts the job of an order on its host; it continues without the connection and this process. The token is sent on its standard input and
 * stored nowhere.
 *
 * @param root converge's folder on the host, absolute
 * @returns `busy`: a job of this model already works there, or its lock says so; `holder` holds the lock, `PID.START@MACHINE:NAME`
 * @throws ConvergeError `FETCH.TOKEN`, `FETCH.NOT_STARTED`, `APPLY.LOCK_UNUSABLE` if others could replace the job's script
 */
export async function startFetch(transport: Transport, root: string, order: FetchOrder, start: FetchStart): Promise<Started> {
  const { token, nonce, limits = fetchLimits } = start
  if (token?.matches(/^[\x21-\x7e]+$/) === false) throw strangeToken(token)
  const { repo, commit } = order
  const asks = [limits.pieceBytes, limits.stallS, limits.tries, limits.pauseS, limits.longestPauseS, order.fetcher].join(' ')
  const { files, about, marker } = writtenOrder(order, start)
  const secret = token?.rewritten((value) => `'${value.replaceAll("'", "'\\''")}'`) ?? "''"
  const result = await transport.exec({
    label: `fetch ${repo}`,
    text: [`LC_ALL=C; export LC_ALL\ntoken() { printf '%s\\n' `, secret, `; }\n${define('main', startScript)}\n${callMain}`],
    args: [root, order.id, nonce, jobScript, files, about, [asks, marker, `${order.hub} ${repo} ${commit}`].join('\n')],
    elevate: true,
    timeoutMs: 60_000,
  })
  const said = result.stdout.trim()
  if (said === 'begun') return { outcome: 'begun' }
  const busy = /^busy ?(\S*)$/.exec(said)
  if (busy !== null) return { outcome: 'busy', holder: busy[1] ?? '' }
  if (said.startsWith('unsafe ')) throw unsafeFolder(transport.host, root, said.slice('unsafe '.length))
  throw notStarted(transport.host, lastLines(`${result.stdout}\n${result.stderr}`.trim()))
}

/** `$1` converge's folder, `$2` id, `$3` nonce, `$4` the job, `$5` files, `$6` about, `$7` limits; `token` prints the token. Prints one line. */
const startScript = `
${processFunctions}${leaveFunctions}${safeFolderFunctions}
unsafe=$(unsafe_above "$1/fetch")
if [ -n "$unsafe" ]; then echo "unsafe $unsafe"; exit 0; fi
may_leave || exit 1
case $(command -v printf) in
  */*) echo "the shell has no built-in printf, so the process list would show the token"; exit 1 ;;
esac
# Accounts of services read keys below this folder.
umask 022
mkdir -p "$1" || exit 1
umask 077
folder=$1/fetch/$2
given=$folder/new-$3
write() { printf '%s' "$2" | cat >"$given/$1"; }
# A job that began meanwhile has removed the folder.
unless_gone() { if [ ! -d "$given" ]; then echo busy; exit 0; fi; }
mkdir -p "$folder" && mkdir "$given" || exit 1
{ write job "$4" && write files "$5" && write about "$6
" && write limits "$7
"; } || { unless_gone; rm -rf "$given"; exit 1; }
token | { trap '' HUP; leave_running "$given/job" "$folder" "$given"; } >/dev/null 2>>"$given/said" &
waited=0
until [ -s "$given/begun" ] || [ ! -d "$given" ] || [ "$waited" -ge 150 ]; do
  waited=$((waited + 1))
  sleep 0.2 2>/dev/null || sleep 1
done
{ [ -s "$given/begun" ] && cat "$given/begun"; } || { unless_gone; cat "$given/said"; }
rm -rf "$given"
`

function strangeToken(token: Secret): ConvergeError {
  return new ConvergeError('FETCH.TOKEN', {
    summary: 'The token for the hub is invalid.',
    why: `The token from ${token.origin} is empty, or contains blanks, line breaks or non-ASCII letters.`,
    next: ['Correct the value that model.source.token refers to.'],
  })
}

function notStarted(host: string, said: string): ConvergeError {
  return new ConvergeError('FETCH.NOT_STARTED', {
    summary: 'The download could not be started.',
    why: `On ${host}: ${said === '' ? 'the job did not answer' : said}`,
    next: ['Check that the disk of its converge_dir is not full, then run converge fetch again.'],
  })
}
