import { posix } from 'node:path'
import { digestFunction } from '../managers/linux-checks.ts'
import type { Step } from '../model/step.ts'

/**
 * Shell by which a timer knows the files that its run writes. A file repaired by hand after the run is gone is not overwritten: if any
 * file is neither as it was nor as the run wrote it, the host changes nothing. `files` in the timer's folder has a line for each
 * expected content, \`SHA-256 PATH\`, or \`none PATH\`. A step adds its line before it puts a file in place (\`announcingStep\`). The
 * digest is taken on the host, so that nothing of a key is sent.
 */
export const fileFunctions = `${digestFunction}
seen_as() {
  if [ -L "$1" ]; then
    echo "link $1"
  elif [ -f "$1" ]; then
    sum=$(digest "$1") && echo "$sum $1"
  elif [ -e "$1" ]; then
    echo "other $1"
  else
    echo "none $1"
  fi
}
# Exit 1: someone else changed a file. Exit 2: unknown.
only_ours() {
  files=$1
  shift
  for path; do
    seen=$(seen_as "$path") || return 2
    grep -F -q -x -e "$seen" "$files"
    case $? in
      0) ;;
      1) echo "$path is neither as it was nor as the run wrote it"; return 1 ;;
      *) return 2 ;;
    esac
  done
}
`

export interface WatchedFiles {
  readonly paths: readonly string[]
  /** Those that the run deletes. */
  readonly deleted: readonly string[]
}

/** The files that the steps of a run write or delete. */
export function watchedFiles(steps: readonly Step[]): WatchedFiles {
  const deleted = steps.filter((step) => step.do === 'delete').map(({ path }) => path)
  const written = steps
    .filter((step) => step.do === 'put' && step.rehearsal !== true)
    .map((step) => ('path' in step ? step.path : ''))
  return { paths: [...new Set([...written, ...deleted])], deleted }
}

/** The step as sent while a timer is armed: it announces the new content to the timer before it puts the file in place. */
export function announcingStep(step: Step, folder: string): Step {
  if (step.do !== 'put' || step.rehearsal === true) return step
  const { script, args } = step.validate ?? { script: ':', args: [] }
  return { ...step, validate: { script: announceScript(script), args: [posix.join(folder, 'files'), step.path, ...args] } }
}

/** Writes a line break first, so that a line cut short by a full disk stays a line of its own. */
function announceScript(validate: string): string {
  return `new=$1 files=$2 path=$3
shift 3
(
set -- "$new" "$@"
${validate}
) || exit
${digestFunction}
sum=$(digest "$new") || { echo "no tool here to take a SHA-256"; exit 1; }
printf '\\n%s %s\\n' "$sum" "$path" | cat >>"$files" && exit 0
echo "the rollback timer on the host could not be informed"
exit 1`
}
