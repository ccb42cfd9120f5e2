import { heldSuffix, previousSuffix as suffix, temporaryGlob } from '../model/beside.ts'
import type { Check, PutStep, RunStep, Step } from '../model/step.ts'
import { definitionUnchanged, digestFunction } from './linux-checks.ts'

const timeoutMs = 60_000

/**
 * Keeps what is about to be replaced beside it, so that it can come back without the controller knowing its secrets.
 *
 * @param paths the definition first; what is not there is left out
 */
export function keepPrevious(paths: readonly [string, ...string[]], digest: string): RunStep {
  return {
    do: 'run',
    label: `back up ${paths[0]}`,
    guards: [definitionUnchanged(paths[0], digest)],
    keeps: true,
    script: `umask 077
for path; do
  if [ -L "$path" ]; then echo "$path is a symbolic link, and converge does not follow or replace links"; exit 1; fi
done
for path; do
  rm -f "$path${suffix}" || exit 1
  [ -e "$path" ] || continue
  if cp -p "$path" "$path${suffix}.part" && mv -f "$path${suffix}.part" "$path${suffix}"; then continue; fi
  rm -f "$path${suffix}.part"
  exit 1
done`,
    args: paths,
    timeoutMs,
  }
}

/** What an earlier run kept and did not come to prove is what the host would go back to: it is not kept over. */
export function keepOnce(step: Step): Step {
  if (step.do !== 'run' || step.keeps !== true) return step
  return { ...step, script: `[ ! -e "$1${suffix}" ] || exit 0\n${step.script}` }
}

/** The same for a key file alone, where there is no definition that could tell by its digest whether it is still as it was. */
export function keepKey(path: string, guards: readonly Check[]): RunStep {
  return { ...keepPrevious([path], ''), guards }
}

/** Puts back what `keepKey` kept; where there is no copy, the file itself was not touched. */
export function restoreKey(path: string): RunStep {
  const script = `[ ! -e "$1${suffix}" ] || mv -f "$1${suffix}" "$1"`
  return { do: 'run', label: `restore the previous ${path}`, guards: [], script, args: [path], timeoutMs }
}

/**
 * Puts back what `keepPrevious` kept. A copy with another digest is one of an earlier run: then nothing had been kept, and
 * nothing replaced, when this run failed.
 */
export function restorePrevious(paths: readonly [string, ...string[]], digest: string): RunStep {
  return {
    do: 'run',
    label: `restore the previous ${paths[0]}`,
    guards: [],
    script: `want=$1
shift
${digestFunction}
[ -f "$1${suffix}" ] || exit 0
now=$(digest "$1${suffix}") || { echo "$1${suffix} could not be read to take its SHA-256"; exit 1; }
[ "$now" = "$want" ] || exit 0
for path; do
  [ ! -e "$path${suffix}" ] || mv -f "$path${suffix}" "$path" || exit 1
done`,
    args: [digest, ...paths],
    timeoutMs,
  }
}

/** The end of a rollback: a server that was told to run as before and does not is not back. */
export function seenToRun({ label, script, args }: Check): RunStep {
  return { do: 'run', label: `see that ${label}`, server: true, guards: [], script, args, timeoutMs }
}

/**
 * A file that was written anew with the same content keeps its date: the date tells whether a running server was started with
 * it.
 */
export function keepDates(paths: readonly [string, ...string[]]): RunStep {
  return {
    do: 'run',
    label: `restore the dates of files whose content is unchanged`,
    guards: [],
    script: `for path; do
  if cmp -s "$path" "$path${suffix}"; then touch -r "$path${suffix}" "$path" || exit 1; fi
done`,
    args: paths,
    timeoutMs,
  }
}

/** For the `put` of a file: content that lies there already keeps its date, so that no moment shows it as newer. */
export function keepingDate(path: string): NonNullable<PutStep['validate']> {
  return { script: `if cmp -s "$2" "$1"; then touch -r "$2" "$1"; fi`, args: [path] }
}

/** Once nothing goes back to them any more; what a run left behind that was cut off is taken along (`facts/leftovers.ts`). */
export function forgetCopies(definition: string, key: string): RunStep {
  return {
    do: 'run',
    label: `delete the backups of ${definition} and its key`,
    guards: [],
    script: `for path; do
  rm -f "$path${suffix}" "$path${suffix}.part" "$path${heldSuffix}" "\${path%/*}/.\${path##*/}"${temporaryGlob} || exit 1
done`,
    args: [key, definition],
    timeoutMs,
  }
}

/**
 * The same where a server goes on running with what was replaced: the key that it was started with stays readable for asking it, until it
 * is started again. Where one was kept before, it is that one.
 */
export function keepHeldKey(definition: string, key: string): RunStep {
  return {
    do: 'run',
    label: `delete the backups of ${definition}, except the key that the server was started with`,
    guards: [],
    script: `key=$1
if [ -f "$key${suffix}" ] && [ ! -e "$key${heldSuffix}" ] && ! cmp -s "$key${suffix}" "$key"; then
  mv -f "$key${suffix}" "$key${heldSuffix}" || exit 1
fi
for path; do
  rm -f "$path${suffix}" "$path${suffix}.part" "\${path%/*}/.\${path##*/}"${temporaryGlob} || exit 1
done`,
    args: [key, definition],
    timeoutMs,
  }
}
