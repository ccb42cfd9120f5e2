import { callMain, define } from '../apply/remote-script.ts'
import { readFetch } from '../facts/fetches.ts'
import { fetchFunctions } from '../facts/fetches-script.ts'
import { probePrelude } from '../facts/probe-prelude.ts'
import { lastLines } from '../lib/last-lines.ts'
import type { FetchFact } from '../model/fetch.ts'
import type { ServerKindName } from '../model/names.ts'
import { type Observed, unknown } from '../model/observed.ts'
import { serverKinds } from '../servers/index.ts'
import { ReadOnlyScript } from '../transports/read-only-script.ts'
import type { HostView } from '../transports/transport.ts'

/** A model on a host. */
export interface FetchTarget {
  /** Converge's folder on the host, absolute. */
  readonly root: string
  readonly id: string
  readonly kind: ServerKindName
  /** `model.path` */
  readonly model: string
}

/**
 * Observes what a host has of one model, and nothing else.
 *
 * @throws ConvergeError `CONNECT.*`
 */
export async function lookAtFetch(view: HostView, target: FetchTarget, signal: AbortSignal): Promise<Observed<FetchFact>> {
  const fact = await lookOnce(view, target, signal)
  const job = fact.known ? fact.value.job : null
  // A job that ended during the observation looks as if it died at work.
  return job?.state === 'working' && !job.alive ? lookOnce(view, target, signal) : fact
}

async function lookOnce(view: HostView, target: FetchTarget, signal: AbortSignal): Promise<Observed<FetchFact>> {
  const { root, id, kind, model } = target
  const script = {
    label: 'check a download',
    text: [`LC_ALL=C; export LC_ALL\n${probePrelude}\n${fetchFunctions}\n${define('main', lookScript)}\n${callMain}`],
    args: [root, id, serverKinds[kind].model, model],
    elevate: true,
    timeoutMs: 30_000,
  }
  const { exitCode, stdout, stderr, timedOut } = await view.look(ReadOnlyScript.vouchedFor(script), { signal })
  if (timedOut) return unknown('timed-out', 'the host took too long to check the download')
  if (exitCode !== 0) return unknown('unreadable', lastLines(stderr))
  return readFetch(stdout.replace(/\n$/, '').split('\n'))
}

const lookScript = `
root=$1 family=linux limiter=watch
if [ "$(uname -s)" = Darwin ]; then family=macos; fi
print_fetch "$2" "$3" "$4"
`

const logBytes = 65_536

/**
 * The last lines of a job's log; null: no log.
 *
 * @throws ConvergeError `CONNECT.*`
 */
export async function readFetchLog(
  view: HostView,
  { root, id }: FetchTarget,
  signal: AbortSignal,
): Promise<Observed<string | null>> {
  const script = {
    label: 'read the log of a download',
    text: [`LC_ALL=C; export LC_ALL\n${define('main', logScript)}\n${callMain}`],
    args: [root, id, String(logBytes)],
    elevate: true,
    timeoutMs: 30_000,
  }
  const { exitCode, stdout, stderr, timedOut } = await view.look(ReadOnlyScript.vouchedFor(script), { signal })
  if (timedOut) return unknown('timed-out', 'the host took too long to read the log')
  if (exitCode !== 0) return unknown('unreadable', lastLines(stderr))
  return { known: true, value: stdout === '' ? null : stdout }
}

const logScript = `
log=$1/fetch/$2/log
if [ -e "$log" ]; then tail -c "$3" "$log"; fi
`
