import { commandOf, commentLines, type ScheduledJob } from './job.ts'
import { shellWord } from './shell-word.ts'

/**
 * What cron and launchd start: POSIX sh, for a machine with nothing but the usual tools. The first part is data, the second is the same
 * in every script.
 */
export function runScript(job: ScheduledJob): string {
  const { name, folder, cwd, limitS, jitterS, environment } = job
  return `#!/bin/sh
${commentLines(job)
  .map((line) => `# ${line}`)
  .join('\n')}

name=${name}
folder=${shellWord(folder)}
work=${shellWord(cwd)}
limit=${limitS}  # seconds a run may take
jitter=${jitterS}  # seconds of delay, less than this and always the same on one machine
${Object.entries(environment)
  .map(([variable, value]) => `export ${variable}=${shellWord(value)}`)
  .join('\n')}
set -- ${commandOf(job).map(shellWord).join(' ')}
${body}`
}

const body = `
umask 077
lock=$folder/lock log=$folder/log output=$folder/output late=$folder/late run=''

line() { printf '%s %s: %s\\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$name" "$1"; }
note() { line "$1" >>"$log"; }
# What is said on stderr, cron sends by mail.
give_up() { note "$1"; line "$1" >&2; exit "$2"; }

mkdir -p "$folder" || exit 73
true >>"$log" || { line "$log cannot be written" >&2; exit 73; }
cd "$work" || give_up "the folder $work cannot be entered" 66

# So much is kept: this log and one before it.
if [ -f "$log" ] && [ $(($(wc -c <"$log"))) -gt 1048576 ]; then mv -f "$log" "$log.1"; fi

# Values for secrets: read and never executed, and by nobody else.
secrets=$folder/environment
if [ -f "$secrets" ]; then
  # shellcheck disable=SC2012
  case $(ls -ldL "$secrets") in
  ????------*) ;;
  *) give_up "$secrets may be read by others: chmod 600" 78 ;;
  esac
  while IFS= read -r entry || [ -n "$entry" ]; do
    variable=\${entry%%=*} value=\${entry#*=}
    case $entry in '' | '#'*) continue ;; esac
    case $variable in "$entry" | '' | [0-9]* | *[!A-Za-z0-9_]*) give_up "$secrets has a line that is not NAME=value" 78 ;; esac
    case $value in
    \\'*\\') value=\${value#?} value=\${value%?} ;;
    \\"*\\") value=\${value#?} value=\${value%?} ;;
    esac
    export "$variable=$value"
  done <"$secrets"
fi

# One run at a time. The link names its owner from the moment it is there. One whose process is gone, or that is older than any run may
# be (its number may be another process's by now), is dead and taken over by who holds the second link.
mine=$$.$(date +%s)
owner=''
if ! ln -s "$mine" "$lock" 2>/dev/null; then
  owner=$(readlink "$lock")
  case $owner in *[!0-9.]* | .* | *.) owner='' ;; *.*) age=$((\${mine#*.} - \${owner#*.})) ;; *) owner='' ;; esac
  if [ -n "$owner" ] && { ! kill -0 "\${owner%.*}" || [ "$age" -gt $((limit + jitter + 120)) ]; } 2>/dev/null; then
    if ln -s "$mine" "$lock.taken" 2>/dev/null; then
      if [ "$(readlink "$lock")" = "$owner" ]; then rm -f "$lock"; fi
      ln -s "$mine" "$lock" 2>/dev/null
      rm -f "$lock.taken"
      note "the run $owner had died and left its lock"
    else
      # Who held it died in the middle; the next run finds it gone.
      taker=$(readlink "$lock.taken")
      if [ -n "$taker" ] && ! kill -0 "\${taker%.*}" 2>/dev/null; then rm -f "$lock.taken"; fi
    fi
  fi
fi
[ "$(readlink "$lock")" = "$mine" ] || give_up "left out: the run before it is still at work, or $lock cannot be made" 75

# shellcheck disable=SC2317
end() {
  if [ -n "$run" ]; then kill "$run" 2>/dev/null; wait "$run"; fi
  if [ "$(readlink "$lock")" = "$mine" ]; then rm -f "$lock"; fi
}
trap end EXIT
trap 'note "interrupted"; exit 130' HUP INT TERM

if [ "$jitter" -gt 0 ]; then
  sum=$(printf '%s %s' "$(uname -n)" "$name" | cksum)
  sum=\${sum%% *}
  sleep $((\${sum:-0} % jitter)) &
  run=$!
  wait "$run"
fi

# A report that is there is the last run's.
rm -f "$folder/last.json"
# Told apart from a run that found something.
true >"$output" || give_up "$output cannot be written" 73
began=$(date +%s)
# Reports that were asked for are for others to read.
(umask 022 && exec "$@") </dev/null >"$output" 2>&1 &
run=$!

# What hangs is asked to end, and then ended. The watch looks every second whether it is still needed: a signal that comes in the moment in
# which it begins would be lost. It holds nothing open that somebody reads.
at_work() { kill -0 "$run" && [ "$(readlink "$lock")" = "$mine" ]; }
watch() {
  left=$limit
  while [ "$left" -gt 0 ]; do sleep 1; at_work || exit 0; left=$((left - 1)); done
  true >"$late"
  kill -TERM "$run"
  left=30
  while [ "$left" -gt 0 ]; do sleep 1; at_work || exit 0; left=$((left - 1)); done
  kill -KILL "$run"
}
rm -f "$late"
(exec </dev/null >/dev/null 2>&1 && watch) &

wait "$run"
status=$?
run=
took=$(($(date +%s) - began))
how="ended with $status after $took s"
if [ -f "$late" ]; then how="$how, for its limit of $limit s was over"; fi
tail -c 65536 "$output" >>"$log"
note "$how"
if [ "$status" -ne 0 ]; then cat "$output"; fi
if [ -f "$late" ]; then line "$how" >&2; fi
exit "$status"
`
