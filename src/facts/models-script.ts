/**
 * For each asked model: `type`; one `part BYTES PATH` and `time SECONDS PATH` per part (a directory: `sum BYTES`); the output of `stamp` for
 * the parts; `unfinished FILE`; `perhaps FILE` (an unfinished download whose name does not reveal its target); `cached BYTES` per file; the
 * first 64 KiB as base64; `end`.
 *
 * Page cache: to users who cannot write the file, mincore(2), which fincore uses, reports every page as present; so only root and users
 * with write access count.
 */
export const modelsScript = `
first_of() { exec dd if="$1" bs=65536 count=1 2>/dev/null; }
encode() {
  if has base64; then exec base64
  elif has openssl; then exec openssl base64
  elif has od; then exec od -An -v -tx1
  fi
}
print_existing() {
  tag=$1
  shift
  for file in "$@"; do
    if [ -e "$file" ]; then printf '%s %s\\n' "$tag" "$file"; fi
  done
}
cached() {
  if [ "$family" = macos ] || ! has fincore; then
    echo 'uncounted no-tool'
  elif [ "$uid" != 0 ] && [ ! -w "$1" ]; then
    echo 'uncounted not-ours'
  else
    for bytes in $(limit_last 5 fincore -b -n -r -o RES "$@" 2>/dev/null); do printf 'cached %s\\n' "$bytes"; done
  fi
}
directory() {
  echo 'type directory'
  ls -lnRL "$1" | awk '/^-/ { bytes += $5 } END { printf "sum %.0f\\n", bytes }'
  print_existing unfinished "$1"/*.incomplete "$1"/*.part "$1"/*.partial "$1"/*.aria2 "$1"/*.crdownload
  print_existing perhaps "$1"/.cache/huggingface/download/*.incomplete "$1"/.cache/huggingface/download/*/*.incomplete
  place=$1
  set --
  for file in "$place"/*; do
    if [ -f "$file" ]; then set -- "$@" "$file"; fi
  done
  if [ $# -gt 0 ]; then
    if [ "$family" = macos ]; then stat -L -f 'time %m %N' "$@"; else stat -L -c 'time %Y %n' "$@"; fi
    cached "$@"
  fi
}
gguf() {
  echo 'type file'
  place=\${1%/*}
  hub=$place/.cache/huggingface/download
  above=\${place%/*}/.cache/huggingface/download/\${place##*/}
  model=$1
  case $1 in
  *-[0-9][0-9][0-9][0-9][0-9]-of-[0-9][0-9][0-9][0-9][0-9].gguf)
    stem=\${1%-*-of-*}
    parts=\${1##*-of-}
    set -- "$stem"-[0-9][0-9][0-9][0-9][0-9]-of-"$parts"
    for suffix in incomplete part partial aria2 crdownload; do
      print_existing unfinished "$stem"-[0-9][0-9][0-9][0-9][0-9]-of-"$parts"*."$suffix"
    done
    print_existing unfinished "$hub/\${stem##*/}"-[0-9]*-of-"$parts"*.incomplete "$above/\${stem##*/}"-[0-9]*-of-"$parts"*.incomplete
    ;;
  *)
    print_existing unfinished "$1".incomplete "$1".part "$1".partial "$1".aria2 "$1".crdownload
    print_existing unfinished "$hub/\${1##*/}"*.incomplete "$above/\${1##*/}"*.incomplete
    ;;
  esac
  print_existing perhaps "$hub"/*.incomplete "$above"/*.incomplete
  sized=yes
  stamp "$@"
  cached "$@"
  if [ -r "$model" ]; then
    echo header
    first_of "$model" | encode
    echo 'header end'
  fi
}
for asked in "$@"; do
  case $asked in model=*) expand "\${asked#model=}" ;; *) continue ;; esac
  look "$path"
  if [ "$state" = there ]; then
    if [ -d "$path" ]; then
      if [ ! -r "$path" ] || [ ! -x "$path" ]; then state=unreadable; fi
    elif [ ! -f "$path" ]; then
      state=unreadable
    fi
  fi
  printf 'path %s\\nstate %s\\n' "$path" "$state"
  if [ "$state" = there ]; then
    if [ -d "$path" ]; then directory "$path"; else gguf "$path"; fi
    echo end
  fi
done
`
