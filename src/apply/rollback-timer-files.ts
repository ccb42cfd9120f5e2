import { posix } from 'node:path'
import { digestFunction } from '../managers/linux-checks.ts'
import type { Step } from '../model/step.ts'

/**
 * Shell by which a timer knows the files that its run writes. What somebody repaired by hand after the run was gone is not overwritten: a file
 * that is neither as it was nor as the run wrote it has the host leave all as it is. `files` in the folder of the timer has a line for each
 * content that may be there, \`SHA-256 PATH\`, or \`none PATH\`. What is written says so before it takes its place (\`tellingTimer\`), with a
 * digest that is taken on the host, so that none of a key travels.
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
# Exit 1: somebody else was there. Exit 2: that cannot be told.
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
  /** Of these, what may be gone once the run has done its work. */
  readonly deleted: readonly string[]
}

/** What the steps of a run write or take away. */
export function watchedFiles(steps: readonly Step[]): WatchedFiles {
  const deleted = steps.filter((step) => step.do === 'delete').map(({ path }) => path)
  const written = steps
    .filter((step) => step.do === 'put' && step.rehearsal !== true)
    .map((step) => ('path' in step ? step.path : ''))
  return { paths: [...new Set([...written, ...deleted])], deleted }
}

/** The step as it is sent while a timer is armed: what it is about to put in place is told to the timer before. */
export function tellingTimer(step: Step, folder: string): Step {
  if (step.do !== 'put' || step.rehearsal === true) return step
  const { script, args } = step.validate ?? { script: ':', args: [] }
  return { ...step, validate: { script: tellScript(script), args: [posix.join(folder, 'files'), step.path, ...args] } }
}

/** With a line break before it: what a full disk cut short is a line of its own. */
function tellScript(validate: string): string {
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
