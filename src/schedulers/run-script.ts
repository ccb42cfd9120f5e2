import { commandOf, commentLines, type ScheduledJob } from './job.ts'
import { shellWord } from './shell-word.ts'

/**
 * The script that cron and launchd run: POSIX sh with standard tools only. The first part is data, the second is the same
 * in every script.
 */
export function runScript(job: ScheduledJob): string {
  const { name, folder, cwd, limitS, jitterS, environment, verb, atS } = job
  return `#!/bin/sh
${commentLines(job)
  .map((line) => `# ${line}`)
  .join('\n')}

name=${name}
folder=${shellWord(folder)}
work=${shellWord(cwd)}
limit=${limitS}  # seconds that a run may take
jitter=${jitterS}  # the delay is below this many seconds and always the same on one machine
due=${verb === 'use' && atS !== undefined ? atS : ''}  # seconds after midnight; empty: a run may be late
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
# cron mails stderr.
give_up() { note "$1"; line "$1" >&2; exit "$2"; }

mkdir -p "$folder" || exit 73
true >>"$log" || { line "$log cannot be written" >&2; exit 73; }
cd "$work" || give_up "the folder $work cannot be entered" 66

# A change of hosts whose time has passed, because this machine was off or asleep, is not made up for.
if [ -n "$due" ]; then
  now=$(date +%H:%M)
  hours=\${now%:*} minutes=\${now#*:}
  passed=$(((\${hours#0} * 3600 + \${minutes#0} * 60 - due + 86400) % 86400))
  # A timer may fire a moment early.
  if [ "$passed" -gt $((jitter + 1800)) ] && [ "$passed" -lt 86100 ]; then
    note "skipped: its time was $((passed / 60)) minutes ago"
    exit 0
  fi
fi

# Keep this log and one older one.
if [ -f "$log" ] && [ $(($(wc -c <"$log"))) -gt 1048576 ]; then mv -f "$log" "$log.1"; fi

# Values of secrets: read, never executed, and private.
secrets=$folder/environment
if [ -f "$secrets" ]; then
  # shellcheck disable=SC2012
  case $(ls -ldL "$secrets") in
  ????------*) ;;
  *) give_up "$secrets is readable by others: chmod 600" 78 ;;
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

# One run at a time. The link names its owner from its creation. A link whose process is gone, or that is older than any run can
# be (its pid may have been reused), is dead and taken over by the holder of the second link.
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
      note "the run $owner died and left its lock"
    else
      # The holder of the second link died; remove it for the next run.
      taker=$(readlink "$lock.taken")
      if [ -n "$taker" ] && ! kill -0 "\${taker%.*}" 2>/dev/null; then rm -f "$lock.taken"; fi
    fi
  fi
fi
[ "$(readlink "$lock")" = "$mine" ] || give_up "skipped: the previous run is still active, or $lock cannot be created" 75

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

# Remove the report of the previous run.
rm -f "$folder/last.json"
# Exit 73 here, unlike a run that found something.
true >"$output" || give_up "$output cannot be written" 73
began=$(date +%s)
# Requested reports are readable by others.
(umask 022 && exec "$@") </dev/null >"$output" 2>&1 &
run=$!

# A run over its limit gets TERM, then KILL. The watcher checks every second whether it is still needed, because a signal during its
# start would be lost. It keeps no inherited descriptor open.
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
if [ -f "$late" ]; then how="$how, because it exceeded its limit of $limit s"; fi
tail -c 65536 "$output" >>"$log"
note "$how"
if [ "$status" -ne 0 ]; then cat "$output"; fi
if [ -f "$late" ]; then line "$how" >&2; fi
exit "$status"
`
