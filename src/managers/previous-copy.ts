import { heldSuffix, previousSuffix as suffix, temporaryGlob } from '../model/beside.ts'
import type { Check, PutStep, RunStep, Step } from '../model/step.ts'
import { definitionUnchanged, digestFunction } from './linux-checks.ts'

const timeoutMs = 60_000

/**
 * Backs up files beside themselves before they are replaced, so that they can be restored without the controller knowing their secrets.
 *
 * @param paths the definition first; missing files are skipped
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
  rm -f "$path${suffix}" "$path${suffix}.part" || exit 1
  [ -e "$path" ] || continue
  if cp -p "$path" "$path${suffix}.part" && mv -f "$path${suffix}.part" "$path${suffix}"; then continue; fi
  rm -f "$path${suffix}.part"
  exit 1
done`,
    args: paths,
    timeoutMs,
  }
}

/** Keeps an existing backup: it was left by a run that did not finish, and it is what the host rolls back to. */
export function keepOnce(step: Step): Step {
  if (step.do !== 'run' || step.keeps !== true) return step
  return { ...step, script: `[ ! -e "$1${suffix}" ] || exit 0\n${step.script}` }
}

/** The same for a key file alone, without a definition whose digest shows whether the backup is current. */
export function keepKey(path: string, guards: readonly Check[]): RunStep {
  return { ...keepPrevious([path], ''), guards }
}

/** Restores what `keepKey` backed up; without a backup the file was not touched. */
export function restoreKey(path: string): RunStep {
  const script = `[ ! -e "$1${suffix}" ] || mv -f "$1${suffix}" "$1"`
  return { do: 'run', label: `restore the previous ${path}`, guards: [], script, args: [path], timeoutMs }
}

/**
 * Restores what `keepPrevious` backed up. A backup with another digest is from an earlier run: then this run failed before it backed up or
 * replaced anything.
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
now=$(digest "$1${suffix}") || { echo "$1${suffix} could not be read for its SHA-256"; exit 1; }
[ "$now" = "$want" ] || exit 0
for path; do
  [ ! -e "$path${suffix}" ] || mv -f "$path${suffix}" "$path" || exit 1
done`,
    args: [digest, ...paths],
    timeoutMs,
  }
}

/** The end of a rollback: fails unless the restored server keeps running. */
export function seenToRun({ label, script, args }: Check): RunStep {
  return { do: 'run', label: `see that ${label}`, server: true, guards: [], script, args, timeoutMs }
}

/**
 * A file that is rewritten with the same content keeps its date, which shows whether a running server was started with it.
 */
export function keepDates(paths: readonly [string, ...string[]]): RunStep {
  return {
    do: 'run',
    label: 'restore the modification time of files whose content stays the same',
    guards: [],
    script: `for path; do
  if cmp -s "$path" "$path${suffix}"; then touch -r "$path${suffix}" "$path" || exit 1; fi
done`,
    args: paths,
    timeoutMs,
  }
}

/** For the `put` of a file: unchanged content keeps its date from the start, so that it never looks newer. */
export function keepingDate(path: string): NonNullable<PutStep['validate']> {
  return { script: `if cmp -s "$2" "$1"; then touch -r "$2" "$1"; fi`, args: [path] }
}

/**
 * After a rollback is no longer possible; also deletes what an interrupted run left behind (`facts/leftovers.ts`).
 *
 * @param others where else the definition was
 */
export function forgetCopies(definition: string, key: string, ...others: readonly string[]): RunStep {
  return {
    do: 'run',
    label: `delete the backups of ${definition} and of its key`,
    guards: [],
    script: `for path; do
  rm -f "$path${suffix}" "$path${suffix}.part" "$path${heldSuffix}" "\${path%/*}/.\${path##*/}"${temporaryGlob} || exit 1
done`,
    args: [key, definition, ...others],
    timeoutMs,
  }
}

/** The same for a file that belongs to no service. */
export function forgetCopy(path: string): RunStep {
  return { ...forgetCopies(path, path), label: `delete the backup of ${path}`, args: [path] }
}

/**
 * The same where a server keeps running with the replaced files: the key that it was started with stays readable for requests until it is
 * restarted. A key that was kept before takes precedence.
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
