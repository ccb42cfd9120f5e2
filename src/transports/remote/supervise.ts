import { shellQuote } from '../../lib/shell-quote.ts'

export interface SupervisedScript {
  readonly text: string
  readonly args: readonly string[]
  readonly timeoutMs: number
  readonly nonce: string
}

/** Sent on stdin while the script runs: it is to be ended because its time is up, or because nobody wants it any more. */
export const stopWords = { timeout: 't', abort: 'a' } as const

/** The host's own timer, for when we cannot tell it any more, fires this much later than ours. */
const backstopS = 5
/** Between the request to end and the end. */
const mercyS = 2

/**
 * A POSIX sh text that runs a script in a subshell and marks where its output begins and ends:
 * `<nonce>b;` … `<nonce>e<exit status><why>;` on both streams, `why` being `t` (time was up), `a` (aborted) or nothing.
 *
 * It is one brace group: a text that arrives cut short is a syntax error and runs nothing. The script reads from /dev/null; stdin
 * stays with the supervisor, which waits there for one of the `stopWords`. When the connection is gone, so is stdin, and
 * the script may go on until its time is up. Ending it means TERM to the process group and KILL two seconds later.
 *
 * Learnt from dash: a child forked while the parent has a TERM trap can swallow a TERM in its first moments; so the trap comes after
 * the watchers were started, and the sleeper is ended by KILL.
 */
export function supervise(script: SupervisedScript): string {
  return `{
_cv_n=${script.nonce}
_cv_script=${shellQuote([script.text])}
set -- ${shellQuote(script.args)}
exec 3<&0 </dev/null
_cv_why=
trap '_cv_why=t' USR1
trap '_cv_why=a' USR2
_cv_tell() { printf '%s%s;' "$_cv_n" "$1"; printf '%s%s;' "$_cv_n" "$1" >&2; }
_cv_stop() {
trap '' TERM
kill -s "$1" "$$"
kill -s TERM 0
sleep ${mercyS}
kill -s KILL 0
}
_cv_tell b
(
trap '[ -z "$!" ] || kill -s KILL "$!"; exit' TERM
sleep ${Math.ceil(script.timeoutMs / 1000) + backstopS} 3<&- &
wait "$!"
_cv_stop USR1
) >/dev/null 2>&1 &
_cv_timer=$!
(
while read -r _cv_word <&3; do
case $_cv_word in ${stopWords.timeout}) _cv_stop USR1 ;; ${stopWords.abort}) _cv_stop USR2 ;; esac
done
) >/dev/null 2>&1 &
_cv_reader=$!
trap : TERM
( eval "$_cv_script" ) 3<&-
_cv_end=$?
trap '' PIPE
_cv_tell "e$_cv_end$_cv_why"
kill "$_cv_timer" "$_cv_reader" 2>/dev/null
exit 0
}
`
}
