import { lifeFunctions } from '../facts/process-life.ts'
import { shellQuote } from '../lib/shell-quote.ts'

/** Records its pid before it executes the given program, so that every running program is known. Reads the record again: the disk may be full. */
const runner = `${lifeFunctions}
twentieth() { shift 19; start=$1; }
# shellcheck disable=SC2086
{ read -r stat <"/proc/$$/stat"; } 2>/dev/null && twentieth \${stat##*) } || start=$(start_by_ps "$$") || exit 23
printf '%s %s\\n' "$$" "$start" >"$1" && read -r written <"$1" && [ "$written" = "$$ $start" ] || exit 23
shift
exec "$@"
`

/**
 * Shell that fetches a file in pieces. Each piece asks the hub anew, because the addresses that it redirects to expire. A piece counts only if
 * the answer says that it starts where the file ends so far; then an interrupted one counts too. The token is sent only to the hub's own
 * address, never to a redirect target.
 *
 * Uses `$address`, `$bytes`, `$part`, `$piece`, `$heads`, `$tool`, `$token`, `$quoted_token`, `$proxy_option`, and the limits `$piece_bytes`, `$stall_s`, `$tries`, `$pause_s`.
 */
export const pieceFunctions = `
runner=${shellQuote([runner])}
# run COMMAND…: with its pid recorded, even if this shell is killed
run() { exec /bin/sh -c "$runner" fetcher "$folder/fetcher" "$@"; }
# The fetcher of a killed job would keep writing.
end_orphan() {
  looks=0
  while lives "$folder/fetcher"; do
    kill -s KILL "$pid"
    looks=$((looks + 1))
    if [ "$looks" -gt 30 ]; then fail busy "process $pid of an earlier job does not end"; fi
    sleep 1
  done
  drop "$folder/fetcher"
}
# quoted TEXT: sets $quoted
quoted() {
  quoted=$1
  case $1 in *'"'* | *\\\\*) quoted=$(printf '%s' "$1" | sed 's/[\\\\"]/\\\\&/g') ;; esac
}
# origin ADDRESS: sets $origin
origin() {
  rest=\${1#*://}
  origin=\${1%%://*}://\${rest%%[/?#]*}
}
# Sets $most, the bytes to request: appending needs their space twice for a moment, so no more than the disk has beyond the rest of the file.
affordable() {
  free= before=
  set -f
  # Before the percentage; names of devices and folders may contain numbers.
  for word in $(df -Pk "\${path%/*}" 2>/dev/null); do
    case $word in [0-9]*%) free=$before; break ;; esac
    before=$word
  done
  set +f
  number "$free" $((piece_bytes + bytes))
  most=$((number * 1024 - bytes + have))
  if [ "$most" -lt 1048576 ]; then most=1048576; fi
  if [ "$most" -gt "$piece_bytes" ]; then most=$piece_bytes; fi
}
# Uses the pieces that an interrupted job left.
take_leftovers() {
  must_be_plain "$part"
  for left in "$piece"*; do
    must_be_plain "$left"
    first=\${left#"$piece"}
    case $first in *[!0-9]*) continue ;; esac
    if [ -e "$left" ]; then
      read_head "$heads$first"
      take_piece "$first"
    fi
  done
}
fetch_pieces() {
  failures=0 odd=0 why=
  take_leftovers
  size_of "$part"
  while have=$size && [ "$have" -lt "$bytes" ]; do
    if ! holds_file; then fail busy "another job took over $path"; fi
    affordable
    last=$((have + most - 1))
    if [ "$last" -ge "$bytes" ]; then last=$((bytes - 1)); fi
    wait_s=
    if [ "$tool" = curl ]; then ask_by_curl "$have" "$last"; else ask_by_wget "$have" "$last"; fi
    judge "$have" "$last"
    size_of "$part"
    if [ "$size" -gt "$have" ]; then
      failures=0 odd=0
    else
      why=\${why:-"the connection was cut$(last_output)"}
      check_disk
      pause
    fi
  done
  if [ "$bytes" = 0 ]; then fresh "$part" || cannot_write "it cannot be created"; fi
}
# take_piece FIRST: appends the new part of a piece, whose head was read; a job that was killed in between can resume it
take_piece() {
  size_of "$piece$1"
  got=$size
  size_of "$part"
  have=$size
  skipped=$((have - $1))
  if [ "$code" = 206 ] && [ "$from" = "$1" ] && { [ "$total" = "$bytes" ] || [ "$total" = '*' ]; } && [ "$(($1 + got))" -le "$bytes" ]; then
    known=yes
  elif [ "$code" = 200 ] && [ "$1" = 0 ] && [ "$length" = "$bytes" ] && [ "$got" -le "$bytes" ]; then
    known=yes
  else
    known=
  fi
  if [ -z "$known" ] || [ "$skipped" -lt 0 ] || [ "$skipped" -ge "$got" ]; then
    drop "$piece$1" "$heads$1"
    [ -n "$known" ]
    return
  fi
  must_be_plain "$part"
  if [ "$have" = 0 ]; then
    mv -f "$piece$1" "$part"
  else
    tail -c "+$((skipped + 1))" "$piece$1" >>"$part" || { check_disk; return; }
  fi
  drop "$piece$1" "$heads$1"
}
# number TEXT DEFAULT: sets $number, to the default unless the text is a short number
number() { case $1 in '' | *[!0-9]* | ????????????????*) number=$2 ;; *) number=$1 ;; esac; }
pause() {
  failures=$((failures + 1))
  if [ "$failures" -ge "$tries" ]; then
    reason=unreachable
    if [ "$odd" -gt 0 ]; then reason=unreadable; fi
    fail "$reason" "no more bytes of $path arrived in $tries tries: \${why:-no answer}"
  fi
  naps=$pause_s
  doubled=1
  while [ "$doubled" -lt "$failures" ] && [ "$naps" -lt "$longest_s" ]; do
    doubled=$((doubled + 1)) naps=$((naps * 2))
  done
  number "$wait_s" 0
  if [ "$number" -gt 600 ]; then number=600; fi
  if [ "$number" -gt "$naps" ]; then naps=$number; elif [ "$naps" -gt "$longest_s" ]; then naps=$longest_s; fi
  note "\${why:-no answer}; retrying in $naps s"
  sleep "$naps" &
  worker=$!
  wait "$worker"
  worker=
}
# read_head FILE: sets code, from, total, length, wait_s, terms and place (the redirect target) from the last answer in it
read_head() {
  answer=$(awk 2>/dev/null <"$1" '
    { gsub(/\\r/, ""); sub(/^[ \\t]+/, "") }
    /^HTTP\\// { code = $2; from = total = length_ = wait = place = tag = "-"; terms = token = ""; next }
    { name = tolower($1) }
    name == "content-range:" && split($3, range, "/") == 2 { split(range[1], ends, "-"); from = ends[1]; total = range[2] }
    name == "content-length:" { length_ = $2 }
    name == "retry-after:" { wait = $2 }
    name == "ratelimit:" && (code == 429 || /[;, ]r=0([^0-9]|$)/) && match($0, /t=[0-9]+/) { wait = substr($0, RSTART + 2, RLENGTH - 2) }
    name == "x-linked-etag:" { tag = $2; gsub(/"/, "", tag) }
    name == "x-error-code:" && $2 == "GatedRepo" { terms = "gated" }
    name == "x-error-message:" && tolower($0) ~ /invalid credentials/ { token = "wrong" }
    name == "location:" { place = $2 }
    END { print code, from, total, length_, wait, tag, (terms == "" || token != "") ? "-" : terms, place }')
  set -f
  # shellcheck disable=SC2086
  set -- $answer
  set +f
  case \${1:-} in [0-9][0-9][0-9]) code=$1 ;; *) code=0 ;; esac
  from=\${2:--} total=\${3:--} length=\${4:--} wait_s=\${5:-} tag=\${6:--} terms=\${7:--} place=\${8:--}
}
# ask_by_curl FIRST LAST
ask_by_curl() {
  hops=0 asked=$address
  while :; do
    head=$heads$1
    drop "$piece$1"
    true >"$head" || cannot_write "$head cannot be created"
    true >"$folder/curl"
    {
      quoted "$asked"
      printf 'url = "%s"\\n' "$quoted"
      origin "$address"
      hub_origin=$origin
      origin "$asked"
      if [ -n "$token" ] && [ "$origin" = "$hub_origin" ]; then
        printf 'header = "Authorization: Bearer %s"\\n' "$quoted_token"
      fi
    } | (
            # Ends a server that sends more than requested.
      ulimit -f "$((($2 - $1 + 1) / 512 + 128))"
      set -C
      # shellcheck disable=SC2086
      run curl -q --config - --silent --show-error --globoff --proto =http,https --user-agent converge --connect-timeout 30 --no-buffer \\
        $proxy_option --speed-limit 100 --speed-time "$stall_s" --range "$1-$2" --dump-header "$head" >"$piece$1"
    ) 2>>"$folder/curl" &
    worker=$!
    wait "$worker"
    worker=
    read_head "$head"
    case $code in
      30[12378]) ;;
      *) return ;;
    esac
    if [ "$tag" != - ] && [ "$kind" = sha256 ] && [ "$tag" != "$hex" ]; then
      fail mismatch "the hub's file has changed: its digest differs from the planned one"
    fi
    hops=$((hops + 1))
    if [ "$hops" -gt 5 ]; then code=310; return; fi
    case $place in
      http://* | https://*) asked=$place ;;
      //*) asked=\${asked%%://*}:$place ;;
      /*) origin "$asked"; asked=$origin$place ;;
      *) fail unreadable "the hub redirects to an invalid address" ;;
    esac
  done
}
# Own timeout, because those of BusyBox's wget crash some versions of it.
end_when_still() {
  still=0 before=
  while [ "$still" -lt "$stall_s" ]; do
    sleep 1
    size_of "$2"
    if [ "$size" = "$before" ]; then still=$((still + 1)); else still=0 before=$size; fi
  done
  kill "$1"
}
# ask_by_wget FIRST LAST: BusyBox's wget sends a range only to resume a file, and appends to it. It follows redirects on its own, and cannot
# limit a token to one host.
ask_by_wget() {
  head=$heads$1
  drop "$piece$1"
  true >"$head" && fresh "$part.rest" && printf X >>"$part.rest" || cannot_write "it cannot be created"
  (
    ulimit -f "$((($2 - $1 + 1) / 512 + 128))"
    run wget -S -c --header "Range: bytes=$1-$2" -O "$part.rest" "$address"
  ) 2>"$head" &
  worker=$!
  end_when_still "$worker" "$part.rest" >"$folder/curl" 2>&1 &
  watcher=$!
  wait "$worker"
  kill "$watcher" 2>/dev/null
  wait "$watcher"
  worker=
  read_head "$head"
  hops=$(($(grep -c '^ *HTTP/' "$head") - 1))
    # A server that ignores the range makes wget restart the file.
  if [ "$code" = 200 ]; then code=201; fi
  fresh "$piece$1" && tail -c +2 "$part.rest" >>"$piece$1"
  rm -f "$part.rest"
}
# The fetcher's last error: it may contain addresses, but no token.
last_output() { { grep -i error "$folder/curl" || tail -n 1 "$folder/curl"; } 2>/dev/null | tail -n 1 | LC_ALL=C tr -cd ' -~' | cut -c 1-200 | sed 's/^./: &/'; }
# judge FIRST LAST: evaluates the answer, and whether to retry
judge() {
  case $code in 20?) ;; *) drop "$piece$1" "$heads$1" ;; esac
  case $code in
    310) why="too many redirects" ;;
    206 | 200 | 201)
      why=
      if [ "$code" = 201 ] || ! take_piece "$1"; then
        odd=$((odd + 1)) why="the server does not send the requested range"
        if [ "$odd" -ge 5 ]; then fail unreadable "$why (a proxy, or a server without ranges)"; fi
      fi ;;
    401 | 403)
      why="the redirect target answered $code"
      if [ "$hops" = 0 ] && [ "$terms" = gated ]; then fail gated "the hub answered $code: its terms have not been accepted"; fi
      if [ "$hops" = 0 ]; then fail denied "the hub answered $code"; fi ;;
    404 | 410)
      why="the redirect target answered $code"
      if [ "$hops" = 0 ]; then fail absent "the hub answered $code"; fi ;;
    416) fail unreadable "the hub's file is shorter than listed" ;;
    0) why="no answer$(last_output)" ;;
    408 | 429 | 5??) why="the hub answered $code" ;;
    *) fail unreadable "the hub answered $code" ;;
  esac
}
`
