import { lifeFunctions } from './process-life.ts'

/**
 * Shell: `print_fetch ID SHAPE PATH` for a model that comes from a hub. Needs `has`, `look`, `$root` and `$family`. Prints, with counts so
 * that a lost line is noticed: `path`; `state` of its folder; its files (`file BYTES INODE MODIFIED CHANGED NAME`; below a folder
 * recursively, except folders that start with a dot; `odd` for a name with a line break, `hidden` for an unreadable folder); for a GGUF file
 * what the hub's tool recorded (`hub COMMIT ETAG PATH`); the `tools` that a job would find; digests as the job wrote them; and of the job
 * `about`, `said`, `alive`, `hashed` and the files it fetches (`want BYTES KIND HEX PATH`, then a tab and its name at the hub).
 */
export const fetchFunctions = `${lifeFunctions}
most_files=5000
line_break='
'
# The tools that a job would find on its PATH; wget counts only without curl, and only BusyBox's. Changes PATH: call it in a subshell.
tools=
fetch_tools() {
  PATH="$PATH:/usr/sbin:/sbin:/usr/local/bin:/opt/homebrew/bin"
  for one in curl hf huggingface-cli openssl sha256sum shasum; do
    if has "$one"; then printf ' %s' "$one"; fi
  done
  if has curl; then return; fi
  case $(wget --help 2>&1) in (*BusyBox*) printf ' wget' ;; esac
}
# bounded FILE: the last 4 MB of a regular file; job files are smaller
bounded() { if [ -f "$1" ]; then tail -c 4000000 "$1" 2>/dev/null; fi; }
# first_line FILE BYTES: sets $line; reads no more of it, and only of a regular file
first_line() {
  line=
  if [ -f "$1" ]; then line=$(head -c "$2" "$1" 2>/dev/null); fi
  line=\${line%%"$line_break"*}
}
# counted TAG LINES: each of them has a word
counted() {
  set -f
  IFS=$line_break
  # shellcheck disable=SC2086 # it is split
  set -- "$1" "$2" $2
  unset IFS
  set +f
  printf '%s %s\\n' "$1" "$(($# - 2))"
  if [ -n "$2" ]; then printf '%s\\n' "$2"; fi
}
stat_files() {
  if [ "$family" = macos ]; then stat -L -f 'file %z %i %m %c %N' "$@"; else stat -L -c 'file %s %i %Y %Z %n' "$@"; fi 2>/dev/null
}
files_of_gguf() {
  case $1 in
  *-[0-9][0-9][0-9][0-9][0-9]-of-[0-9][0-9][0-9][0-9][0-9].gguf)
    stem=\${1%-*-of-*} rest=-of-\${1##*-of-}
    set -- "$stem"-[0-9][0-9][0-9][0-9][0-9]"$rest" "$stem"-[0-9][0-9][0-9][0-9][0-9]"$rest".????????.p*
    ;;
  *) set -- "$1" "$1".????????.p* ;;
  esac
  for one in "$@"; do
    shift
    case $one in *"$line_break"*) echo odd ;; esac
    if [ -f "$one" ]; then set -- "$@" "$one"; fi
  done
  if [ $# -gt 0 ]; then stat_files "$@"; fi
}
# What the hub's tool recorded beside the files it fetched: commit, ETag and time of each, one per line.
listed_by_hub_tool() {
  beside=\${1%/*} name=\${1##*/}
  for kept in "$beside/.cache/huggingface/download" "\${beside%/*}/.cache/huggingface/download/\${beside##*/}"; do
    if cd "$kept" 2>/dev/null; then listed_here; return; fi
  done
}
listed_here() {
  case $name in
  *-[0-9][0-9][0-9][0-9][0-9]-of-[0-9][0-9][0-9][0-9][0-9].gguf)
    stem=\${name%-*-of-*} rest=-of-\${name##*-of-}
    set -- "$stem"-[0-9][0-9][0-9][0-9][0-9]"$rest".metadata
    ;;
  *) set -- "$name".metadata ;;
  esac
  for one in "$@"; do
    if [ -f "$one" ]; then printf 'hub %s %s\\n' "$(head -c 400 "$one" | awk 'NR < 3 { printf "%s ", $1 }')" "$beside/\${one%.metadata}"; fi
  done
}
files_below() {
  cd "$1" || return
  if [ "$family" = macos ]; then set -- -f 'file %z %i %m %c %N'; else set -- -c 'file %s %i %Y %Z %n'; fi
  find . -name "*$line_break*" -exec echo odd \\; -prune -o -type d ! -name . -name '.*' -prune -o \
    -type d -exec sh -c 'for one; do if [ ! -r "$one" ] || [ ! -x "$one" ]; then echo hidden; fi; done' sh {} + -o \
    \\( -type f -o -type l \\) -exec stat -L "$@" {} + 2>/dev/null | head -n "$((most_files + 1))"
}
print_fetch() {
  job=$root/fetch/$1
    # Read before the files, and the process before the state: a job that ends meanwhile still counts as running, not as done without its files.
  job_alive=no
  if lives "$job/process"; then job_alive=yes; fi
  first_line "$job/state" 5000
  job_said=$line
  if [ "$2" = gguf ]; then place=\${3%/*}; else place=$3; fi
  look "\${place:-/}"
  if [ "$state" = there ]; then
    if [ ! -d "\${place:-/}" ]; then state=unreadable
    elif [ ! -r "\${place:-/}" ] || [ ! -x "\${place:-/}" ]; then state=hidden
    fi
  fi
  printf 'path %s\\nstate %s\\n' "$3" "$state"
  files=
  if [ "$state" = there ]; then
    if [ "$2" = gguf ]; then files=$(files_of_gguf "$3"); else files=$(files_below "$place"); fi
  fi
  counted files "$files"
  if [ "$2" = gguf ]; then counted listed "$(listed_by_hub_tool "$3")"; fi
  if [ -z "$tools" ]; then tools=$(fetch_tools); fi
  printf 'tools%s\\n' "$tools"
  look "$job"
  if [ "$state" = there ] && { [ ! -d "$job" ] || [ ! -r "$job" ] || [ ! -x "$job" ]; }; then state=hidden; fi
  if [ "$state" = there ] && [ ! -e "$job/state" ] && [ ! -e "$job/files" ]; then state=absent; fi
  printf 'job %s\\n' "$state"
  if [ "$state" = there ]; then print_job; fi
  echo end
}
print_job() {
  counted digests "$(bounded "$job/digests" | tail -n "$most_files" | sed 's/^/digest /')"
  printf 'said %s\\nalive %s\\n' "$job_said" "$job_alive"
  first_line "$job/hashing" 200
  if [ -n "$line" ]; then sed -n 's/^pos:[[:blank:]]*/hashed /p' "/proc/\${line%% *}/fdinfo/0" 2>/dev/null; fi
  first_line "$job/about" 60000
  printf 'about %s\\n' "$line"
  counted wants "$(bounded "$job/files" | awk -F '\\t' '{ print "want", $1, $2, $3, $5 "\\t" $6 }' | head -n "$((most_files + 1))")"
}
`

/** All asked models, one after another. */
export const fetchesScript = `${fetchFunctions}
for asked in "$@"; do
  case $asked in fetch-*) ;; *) continue ;; esac
  about=\${asked#*=}
  shape=\${asked%%=*}
  print_fetch "\${about%% *}" "\${shape#fetch-}" "\${about#* }"
done
`
