import { shellQuote } from '../../lib/shell-quote.ts'
import { type Watch, watchEveryS } from '../watch.ts'

export interface SupervisedScript {
  /** Quoted for a shell. */
  readonly text: readonly Buffer[]
  readonly args: readonly string[]
  readonly timeoutMs: number
  readonly nonce: string
  /** Seconds that it may continue after the connection is gone. */
  readonly graceS: number
  readonly watch?: Watch
  /** Its stdin is its own input, without stop words. */
  readonly isFed?: boolean
}

/** Sent on stdin to end the running script, on timeout or abort. */
export const stopWords = { timeout: 't', abort: 'a' } as const

/** In the end marker if the script's watch ended it. */
export const unwatchedWord = 'w'

/** The host's own timer fires this much after ours, in case the stop request does not arrive. */
const backstopS = 5
/** Between TERM and KILL. */
const mercyS = 2

/** `_cv_say` prints a marker on both streams, `_cv_stop` ends the whole group, `_cv_nap` sleeps so that a TERM is not lost. */
const functions = `_cv_say() { printf '%s%s;' "$_cv_n" "$1"; printf '%s%s;' "$_cv_n" "$1" >&2; }
_cv_stop() {
trap '' TERM
kill -s "$1" "$$"
kill -s TERM 0
sleep ${mercyS}
kill -s KILL 0
}
_cv_nap() {
_cv_past=$!
trap '[ "$!" = "$_cv_past" ] || kill -s KILL "$!"; exit' TERM
sleep "$1" 3<&- &
wait "$!"
_cv_past=$!
}`

/**
 * POSIX sh that runs a script in a subshell with markers around its output: `<nonce>b;` … `<nonce>e<exit status><why>;` on both streams,
 * `why` being `t` (timeout), `a` (aborted), `w` (ended by its watch) or nothing.
 *
 * It is one brace group: a truncated text is a syntax error and runs nothing. The script reads from /dev/null; the supervisor keeps stdin and
 * waits there for one of the `stopWords`. Without the controller or the connection stdin ends too, and the script is ended after its grace
 * period. Ending means TERM to the process group and KILL two seconds later; processes in their own group (setsid), or started by a daemon,
 * are not reached.
 *
 * A fed script reads stdin itself: it ends with its input, and otherwise only by the timer.
 *
 * Learnt from dash: a child forked while the parent has a TERM trap can lose a TERM in its first moments; so the trap is set after the watchers
 * start, and KILL ends their sleepers. The client closes stdin after the end marker: so the reader ends before that.
 */
export function supervise(script: SupervisedScript): Buffer {
  const { watch, isFed = false } = script
  const watchers = [...(isFed ? [] : ['"$_cv_reader"']), ...(watch === undefined ? [] : ['"$_cv_watcher"'])]
  const before = `{
_cv_n=${script.nonce}
_cv_script=`
  const after = `
${watch === undefined ? '' : `_cv_watch() {\n:\n${watch.script}\n}`}
set -- ${shellQuote(script.args)}
exec 3<&0 </dev/null
_cv_why=
trap '_cv_why=${stopWords.timeout}' USR1
trap '_cv_why=${stopWords.abort}' USR2
trap '_cv_why=${unwatchedWord}' ALRM
${functions}
_cv_say b
(
_cv_nap ${Math.ceil(script.timeoutMs / 1000) + backstopS}
_cv_stop USR1
) >/dev/null 2>&1 &
_cv_timer=$!
${isFed ? '' : reader(script)}${watch === undefined ? '' : watcher(watch)}
trap : TERM
( eval "$_cv_script" ) ${isFed ? '<&3 ' : ''}3<&-
_cv_end=$?
trap '' PIPE
${watchers.length === 0 ? '' : `kill ${watchers.join(' ')} 2>/dev/null`}
_cv_say "e$_cv_end$_cv_why"
kill "$_cv_timer" 2>/dev/null
exit 0
}
`
  return Buffer.concat([Buffer.from(before), ...script.text, Buffer.from(after)])
}

function reader({ graceS }: SupervisedScript): string {
  return `(
while read -r _cv_word <&3; do
case $_cv_word in ${stopWords.timeout}) _cv_stop USR1 ;; ${stopWords.abort}) _cv_stop USR2 ;; esac
done
${graceS > 0 ? `_cv_nap ${graceS}` : ''}
_cv_stop USR2
) >/dev/null 2>&1 &
_cv_reader=$!
`
}

function watcher({ args }: Watch): string {
  return `(
while _cv_nap ${watchEveryS}; _cv_watch ${shellQuote(args)}; do :; done
_cv_stop ALRM
) >/dev/null 2>&1 3<&- &
_cv_watcher=$!`
}
