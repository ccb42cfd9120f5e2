import { shellQuote } from '../../lib/shell-quote.ts'
import { type Watch, watchEveryS } from '../watch.ts'

export interface SupervisedScript {
  readonly text: string
  readonly args: readonly string[]
  readonly timeoutMs: number
  readonly nonce: string
  /** Seconds that it may go on when the connection is gone. */
  readonly graceS: number
  readonly watch?: Watch
  /** Its stdin is input of its own, and nobody listens for stop words there. */
  readonly isFed?: boolean
}

/** Sent on stdin while the script runs: it is to be ended because its time is up, or because nobody wants it any more. */
export const stopWords = { timeout: 't', abort: 'a' } as const

/** Stands in the end mark when its watch said no. */
export const unwatchedWord = 'w'

/** The host's own timer, for when we cannot tell it any more, fires this much later than ours. */
const backstopS = 5
/** Between the request to end and the end. */
const mercyS = 2

/** To say a mark on both streams, to end the whole group, and to sleep so that a TERM is not lost. */
const functions = `_cv_tell() { printf '%s%s;' "$_cv_n" "$1"; printf '%s%s;' "$_cv_n" "$1" >&2; }
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
 * A POSIX sh text that runs a script in a subshell and marks where its output begins and ends:
 * `<nonce>b;` … `<nonce>e<exit status><why>;` on both streams, `why` being `t` (time was up), `a` (aborted), `w` (its watch said no)
 * or nothing.
 *
 * It is one brace group: a text that arrives cut short is a syntax error and runs nothing. The script reads from /dev/null; stdin
 * stays with the supervisor, which waits there for one of the `stopWords`. When the controller or the connection is gone, so is
 * stdin, and the script is ended after its grace. Ending it means TERM to the process group and KILL two seconds later; what it put
 * into a group of its own (setsid), and what a daemon started for it, is not reached.
 *
 * One that is fed reads stdin itself: it ends when its input does, and the timer is all that ends it otherwise.
 *
 * Learnt from dash: a child forked while the parent has a TERM trap can swallow a TERM in its first moments; so the trap comes after
 * the watchers were started, and their sleepers are ended by KILL. Whoever hears the end closes stdin: so the reader ends before that.
 */
export function supervise(script: SupervisedScript): string {
  const { watch, isFed = false } = script
  const watchers = [...(isFed ? [] : ['"$_cv_reader"']), ...(watch === undefined ? [] : ['"$_cv_watcher"'])]
  return `{
_cv_n=${script.nonce}
_cv_script=${shellQuote([script.text])}
${watch === undefined ? '' : `_cv_watch() {\n:\n${watch.script}\n}`}
set -- ${shellQuote(script.args)}
exec 3<&0 </dev/null
_cv_why=
trap '_cv_why=${stopWords.timeout}' USR1
trap '_cv_why=${stopWords.abort}' USR2
trap '_cv_why=${unwatchedWord}' ALRM
${functions}
_cv_tell b
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
_cv_tell "e$_cv_end$_cv_why"
kill "$_cv_timer" 2>/dev/null
exit 0
}
`
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
