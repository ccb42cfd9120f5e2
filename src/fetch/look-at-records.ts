import { callMain, define } from '../apply/remote-script.ts'
import { readFetchRecords } from '../facts/fetch-records.ts'
import { probeName } from '../facts/probe-frame.ts'
import { probePrelude } from '../facts/probe-prelude.ts'
import { readReferences } from '../facts/references.ts'
import { lastLines } from '../lib/last-lines.ts'
import type { Layout } from '../model/facts.ts'
import { type Observed, unknown } from '../model/observed.ts'
import type { FetchRecord, ReferenceQuestion, References } from '../model/prune.ts'
import { ReadOnlyScript } from '../transports/read-only-script.ts'
import type { CommandResult, HostView } from '../transports/transport.ts'
import { recordFunctions } from './record-functions.ts'
import { referenceFunctions } from './reference-functions.ts'

const timeoutMs = 60_000

/**
 * All downloads that converge recorded on a host, and the files at their paths.
 *
 * @param root converge's folder on the host, absolute
 * @throws ConvergeError `CONNECT.*`
 */
export async function lookAtRecords(
  view: HostView,
  root: string,
  signal: AbortSignal,
): Promise<Observed<readonly FetchRecord[]>> {
  const script = {
    label: 'list downloads',
    text: [`LC_ALL=C; export LC_ALL\n${probePrelude}\n${recordFunctions}\n${define('main', recordScript)}\n${callMain}`],
    args: [root],
    elevate: true,
    timeoutMs,
  }
  const result = await view.look(ReadOnlyScript.vouchedFor(script), { signal })
  return troubleOf(result) ?? readFetchRecords(result.stdout)
}

const chooseFamily = `family=linux
if [ "$(uname -s)" = Darwin ]; then family=macos; fi
`

const recordScript = `root=$1 limiter=watch
${chooseFamily}print_records
`

/**
 * What on a host refers to model files: definitions of services, arguments of processes, open files.
 *
 * @throws ConvergeError `CONNECT.*`
 */
export async function lookForReferences(
  view: HostView,
  { root, home }: Pick<Layout, 'root' | 'home'>,
  question: ReferenceQuestion,
  signal: AbortSignal,
): Promise<Observed<References>> {
  const { names, paths, files, definitions } = question
  const script = {
    label: 'find references to models',
    text: [`LC_ALL=C; export LC_ALL\n${probePrelude}\n${referenceFunctions}\n${define('main', referenceScript)}\n${callMain}`],
    args: [
      probeName,
      root,
      home,
      ...names.map((name) => `name=${name}`),
      ...paths.map((path) => `path=${path}`),
      ...definitions.map((path) => `definition=${path}`),
      ...files.map(({ path, device, inode }) => `file=${device} ${inode} ${path}`),
    ],
    elevate: true,
    timeoutMs,
  }
  const result = await view.look(ReadOnlyScript.vouchedFor(script), { signal })
  return troubleOf(result) ?? readReferences(result.stdout, names)
}

/** The first argument identifies the script's own processes. */
const referenceScript = `shift
PATH="$PATH:/usr/sbin:/sbin"; export PATH
${chooseFamily}print_references "$@"
`

function troubleOf({ exitCode, stderr, timedOut }: CommandResult): Observed<never> | undefined {
  if (timedOut) return unknown('timed-out', 'the host took too long to answer')
  return exitCode === 0 ? undefined : unknown('unreadable', lastLines(stderr))
}
