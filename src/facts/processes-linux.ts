/**
 * Prints one record per process that may be a model server or a download; the parser decides from all arguments. One grep over all
 * command lines selects the candidates; the shell's `read`, which drops the NULs between arguments, is enough to choose among them.
 * Records: `p PID`, `s` its stat line, `m UID RSS-KIB ANON-KIB`, `g` cgroup lines, `l PROGRAM`, `h` when
 * its maps could be read, then `f INODE PATH` of what it has mapped (` (deleted)` behind a path is the kernel's), `n DEVICE INODE CHANGED PATH`
 * what those paths lead to now, as the process would resolve them, `a` arguments (line breaks in them as \\001), `v` when its environment
 * could be read, then `e NAME=VALUE`, `k NAME DIGEST`, `gone` if it ended meanwhile. `end` confirms that the list is complete.
 */
export const processesLinux = `
if [ "$uid" != 0 ] && [ ! -r /proc/1/cmdline ]; then
  echo 'other users see no processes here (hidepid): not permitted' >&2
  return 1
fi
servers=
for asked in "$@"; do
  case $asked in exe[AB]=*) servers="$servers\${asked#exe?=}
" ;; esac
done
# Sets $found to the files of command lines that contain a candidate's word; if grep has no -z (status 2), the shell checks them all.
likely() {
  set -- -e llama -e serve -e vllm -e sglang -e mlx -e text-generation -e kobold -e local-ai -e 'lm studio' -e lmstudio \\
    -e llmster -e lms -e lemonade -e model-runner -e gpustack -e huggingface -e download
  IFS='
'
  for server in $servers; do set -- "$@" -e "$server"; done
  unset IFS
  found=$(exec grep -slziF "$@" /proc/[0-9]*/cmdline)
  if [ $? -gt 1 ] && [ -z "$found" ]; then
    set -- /proc/[0-9]*/cmdline
    found=$*
  fi
}
# joined FILE: sets $line to its content, without NULs, with blanks for line breaks
joined() {
  line=''
  while part=''; IFS= read -r part 2>/dev/null || [ -n "$part" ]; do line="$line\${line:+ }$part"; done 2>/dev/null <"$1"
}
candidate() {
  case $1 in
  '' | *converge-looks-at-this-host*) return 1 ;;
  *[Ll]lama* | *LLAMA* | *serve--* | *vllm* | *VLLM* | *sglang* | *mlx* | *text-generation* | *[Kk]obold* | *local-ai* | \\
    *LM?Studio* | *lmstudio* | *llmster* | */lms* | lms* | *lemonade* | *model-runner* | *gpustack* | *huggingface* | *hfdownload*) return 0 ;;
  esac
  IFS='
'
  for server in $servers; do
    case $1 in *"$server"*) unset IFS; return 0 ;; esac
  done
  unset IFS
  return 1
}
environment() {
  printf 'v\\n'
  while IFS= read -r pair; do
    for asked in "$@"; do
      case $asked in
      env=*) if [ "\${asked#env=}" = "\${pair%%=*}" ]; then printf 'e %s\\n' "$pair"; fi ;;
      secret=*)
        if [ "\${asked#secret=}" = "\${pair%%=*}" ]; then
          printf 'k %s ' "\${pair%%=*}"
          printf '%s%s' "$salt" "\${pair#*=}" | digest
        fi
        ;;
      esac
    done
  done
}
# Mappings shared with the page cache are models: libraries are mapped privately. Libraries of llama.cpp are as much part of the server as
# its program.
held() {
  place=/proc/$1
  program=$(readlink "$place/exe") || return
  set -- / "$place/root/."
  case $program in
  *'
'* | /memfd:* | [!/]*) ;;
  *)
    printf 'l %s\\n' "$program"
    set -- "$@" "$place/exe" "$place/root\${program%' (deleted)'}"
    ;;
  esac
  if true 2>/dev/null <"$place/maps"; then echo h; fi
  awk '
  $5 == 0 || $6 !~ /^\\// || $6 ~ /^\\/(dev|memfd:|SYSV|proc|sys)/ { next }
  ($2 ~ /^r..s$/ && $6 !~ /^\\/usr\\/lib/ || $6 ~ /\\/lib(llama|ggml|mtmd)[^\\/]*$/) && !seen[$5]++ && count++ < 200 {
    inode = $5
    sub(/^[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +/, "")
    print inode, $0
  }' "$place/maps" | {
    while IFS= read -r mapped; do
      printf 'f %s\\n' "$mapped"
      mapped=\${mapped#* }
      set -- "$@" "$place/root\${mapped%' (deleted)'}"
    done
    exec stat -L -c 'n %d %i %Z %n' "$@"
  }
}
record() {
  process=$1
  shift
    # A name may contain a line break.
  joined "/proc/$process/stat"
  stat=$line
  [ -n "$stat" ] || return
  printf 'p %s\\ns %s\\n' "$process" "$stat"
  owner='' rss=0 anon=''
  while read -r key one two _; do
    case $key in Uid:) owner=$two ;; VmRSS:) rss=$one ;; RssAnon:) anon=$one ;; esac
  done 2>/dev/null <"/proc/$process/status"
  printf 'm %s %s %s\\n' "$owner" "$rss" "$anon"
  owners="$owners $owner"
  last=
  while IFS= read -r group; do
    case $group in *:name=systemd:*) ;; *:"$last") continue ;; esac
    last=\${group#*:*:}
    printf 'g %s\\n' "$group"
  done 2>/dev/null <"/proc/$process/cgroup"
  held "$process"
  printf 'A '
  tr '\\000\\012' '\\001\\002' 2>/dev/null <"/proc/$process/cmdline"
  echo
    # Until it is reaped, a process has no arguments.
  joined "/proc/$process/stat"
  case \${line##*) } in '' | [ZX]*) echo gone ;; esac
}
records() {
  owners='' fronts=''
  for file in $candidates; do
    joined "$file"
    words=$line
    folder=\${file%/cmdline}
    pid=\${folder#/proc/}
    record "$pid"
    case $words in
    *serve--*)
      fronts="$fronts $pid"
      if true 2>/dev/null <"$folder/environ"; then
        tr '\\000\\012' '\\012\\001' <"$folder/environ" | environment "$@"
      fi
      ;;
    esac
  done
  if [ -z "$owners" ]; then
    echo end
    return
  fi
  if [ -n "$fronts" ]; then
    for pid in $(cat /proc/[0-9]*/stat 2>/dev/null | awk -v fronts="$fronts " '
      { end = length($0); while (end > 0 && substr($0, end, 1) != ")") end--
        split(substr($0, end + 2), field, " ")
        if (index(fronts, " " field[2] " ")) print $1 }'); do
      record "$pid"
    done
  fi
  read -r up _ </proc/uptime
  printf 'now %s %s\\n' "$(date +%s)" "$up"
  while IFS= read -r group; do printf 'first %s\\n' "$group"; done </proc/1/cgroup
  while IFS=: read -r name _ number _; do
    case "$owners " in *" $number "*) printf 'user %s %s\\n' "$number" "$name" ;; esac
  done </etc/passwd
  echo end
}
candidates=
likely 2>/dev/null
for file in $found; do
  joined "$file"
  if candidate "$line"; then candidates="$candidates $file"; fi
done
if [ -z "$candidates" ]; then
  echo end
  return
fi
records "$@" 2>/dev/null | awk "$redactor"
`
