import { probeName } from '../facts/probe-frame.ts'
import { openFilesFunctions } from './open-files.ts'

/**
 * Shell: `print_references ROOT HOME TAGGED…` with `name=`, `path=`, `definition=` and `file=DEVICE INODE PATH`: what refers to model files.
 * Searches definitions of services in the usual places: of converge, including other instances, systemd, launchd, init and cron, and the scripts
 * and settings that these name. Prints `node DEVICE:INODE PATH` for asked paths, `says INDEX NODE FILE` where a definition contains a name (`-`:
 * the path around it leads nowhere), `leads NODE option|plain FILE`, `runs INDEX NODE PID` where a process has a name in its arguments, `open PID
 * PATH`, `unread FILE`; `whole`. Prints no content of definitions. Needs `$family`.
 */
export const referenceFunctions = `${openFilesFunctions}
words_awk='
function number_of(digits,   i, value) {
  digits = tolower(digits)
  for (i = 1; i <= length(digits); i++) value = value * 16 + index("0123456789abcdef", substr(digits, i, 1)) - 1
  return value
}
# Decodes escapes of systemd, shells, XML and JSON.
function unescaped(text,   done, sign) {
  gsub(/%%/, "%", text)
  gsub(/[$][$]/, "$", text)
  gsub(/&quot;/, "\\"", text)
  gsub(/&(apos|#39);/, "\\047", text)
  gsub("\\047\\\\\\\\\\047\\047", "\\047", text)
  while (match(text, /\\\\(x[0-9A-Fa-f][0-9A-Fa-f]|u00[0-7][0-9A-Fa-f]|.)/)) {
    sign = substr(text, RSTART + 1, RLENGTH - 1)
    if (RLENGTH > 2) sign = sprintf("%c", number_of(substr(sign, 2)))
    done = done substr(text, 1, RSTART - 1) sign
    text = substr(text, RSTART + RLENGTH)
  }
  return done text
}
function names_in(line,   i, length_, rest, gone, at, first, last, from, word) {
  for (i = 1; i <= count; i++) {
    if (name[i] == "") continue
    length_ = length(name[i])
    rest = line; gone = 0
    while ((at = index(rest, name[i])) > 0) {
      first = gone + at
      last = first + length_ - 1
      gone = last; rest = substr(line, gone + 1)
      if (substr(name[i], 1, 1) != "/" && first > 1 && substr(line, first - 1, 1) ~ /[A-Za-z0-9._-]/) continue
      if (substr(line, last + 1, 1) ~ /[A-Za-z0-9_-]/) continue
      from = first
      while (from > 1 && substr(line, from - 1, 1) !~ break_at) from--
      word = substr(line, from, last - from + 1)
      if (!((file, i, word) in said)) { said[file, i, word] = 1; print "says\\t" i "\\t" file "\\t" (word ~ /^\\// ? word : "-") }
    }
  }
}
BEGIN { count = split(ENVIRON["names"], name, "\\n"); break_at = "[][ \\t\\"\\047=,:;()<>|&{}\`]" }
FNR == 1 { before = "" }
{
  file = who == "" ? FILENAME : who
  line = $0
  gsub(/<[^>]*>/, " ", line)
  gsub(/&amp;/, "\\\\&", line)
  names_in(line)
  if (length(line) < 65536 && line ~ /[\\\\%$&]/) names_in(unescaped(line))
  parts = split(line, part, break_at)
  for (i = 1; i <= parts; i++) {
    word = part[i]
    if (word == "" || word == "-") continue
    if (word ~ /^\\/./ && length(word) < 4096) {
      sub(/\\/+$/, "", word)
      option = before !~ /\\// && tolower(before) ~ /model/ ? "option" : "plain"
      if (word != "" && !((file, word, option) in seen)) { seen[file, word, option] = 1; print "leads\\t" option "\\t" file "\\t" word }
    }
    before = part[i]
  }
}'
# words_in FILE…: its names and paths
words_in() {
  if [ $# = 0 ]; then return; fi
  names=$names awk "$words_awk" "$@" 2>/dev/null || printf 'unread\\t%s\\n' "\${1%/*}"
}
nodes_of() {
  if [ $# = 0 ]; then return; fi
  if [ "$family" = macos ]; then stat -L -f 'node %d:%i %z o%p %N' "$@"; else stat -L -c 'node %d:%i %s x%f %n' "$@"; fi 2>/dev/null
}
# definitions_in FOLDER…: files below, and what is unreadable
definitions_in() {
  for place in "$@"; do
    shift
    if [ -e "$place" ]; then set -- "$@" "$place"; fi
  done
  if [ $# = 0 ]; then return; fi
  find -H "$@" \\( -type d \\( -name keys -o -name '*.wants' -o -name '*.requires' -o -path "$own" \\) -prune \\) -o \\
    \\( -path '*/fetch/*/*' ! -name files -prune \\) -o ! -name 'audit.log*' \\( -type d -o -type l -o -type f -size -4096 \\) -print 2>/dev/null
}
every_place() {
  definitions_in "$root" /etc/converge /root/.config/converge /home/*/.config/converge /Users/*/.config/converge \\
    /etc/systemd/system /run/systemd/system /usr/local/lib/systemd/system /etc/systemd/user "$home/.config/systemd/user" \\
    /root/.config/systemd/user /home/*/.config/systemd/user /Library/LaunchDaemons /Library/LaunchAgents \\
    "$home/Library/LaunchAgents" /Users/*/Library/LaunchAgents /etc/default /etc/sysconfig /etc/conf.d /etc/init.d /etc/rc.local \\
    /etc/crontab /etc/cron.d /var/spool/cron /usr/local/etc/rc.d
}
# System-wide files may be readable by root alone, and hardly any is about a server; nor is every file that a definition names itself a definition.
unread() {
  if [ -n "$lax" ]; then return; fi
  case $1 in
  /var/spool/* | /etc/default* | /etc/sysconfig* | /etc/conf.d* | /etc/init.d* | /etc/cron* | /etc/rc.local | /usr/local/etc/*) ;;
  *) printf 'unread\\t%s\\n' "$1" ;;
  esac
}
# read_definitions: reads the files named on its input
read_definitions() {
  set --
  while IFS= read -r one; do
    if [ -d "$one" ]; then
      if [ ! -r "$one" ] || [ ! -x "$one" ]; then unread "$one"; fi
    elif [ -f "$one" ]; then
      if [ ! -r "$one" ]; then unread "$one"; continue; fi
      if [ -L "$one" ] && [ -z "$(find -L "$one" -prune -size -4096)" ]; then continue; fi
      case $family$one in
      macos*.plist) if [ "$(head -c 6 "$one")" = bplist ]; then plutil -convert xml1 -o - "$one" 2>/dev/null | names=$names awk -v who="$one" "$words_awk"; continue; fi ;;
      esac
      set -- "$@" "$one"
    fi
  done
  words_in "$@"
}
# resolved: the targets of the words on its input
resolved() {
  awk -F '\\t' '$4 ~ /^\\// { print $4 }' | sort -u | {
    set --
    while IFS= read -r one; do
      if [ -e "$one" ]; then set -- "$@" "$one"; fi
    done
    nodes_of "$@"
  }
}
# Scripts and settings that definitions name.
named_in() {
  awk '$1 == "node" && $4 ~ /^(x8|o10)/ && $3 > 0 && $3 < 65536 { sub(/^[^ ]+ [^ ]+ [^ ]+ [^ ]+ /, ""); print }' |
    grep -v -e '^/dev/' -e '^/proc/' -e '^/sys/' -e '^\\(/usr\\)*/s*bin/' -e '^\\(/usr\\)*/lib' -e '\\.gguf$' -e '\\.safetensors$'
}
words_of_processes() {
  if [ -r /proc/self/cmdline ]; then
    # Names, escapes that may hide one, and an argument of this grep: one that does not find itself, at last, lacks an option. Its status says
    # only that a process ended meanwhile.
    escapes='\\\\\\n%%%%\\n$$\\n&quot;\\n&apos;\\n&#39;\\n&amp;\\n'
    found=$(printf "%s$escapes-slzF\\\\n" "$names" | grep -slzF -f /dev/stdin /proc/[0-9]*/cmdline /proc/self/cmdline)
    case $found in */proc/self/cmdline) ;; *) found=$(echo /proc/[0-9]*/cmdline) ;; esac
    for file in $found; do
      pid=\${file%/cmdline}
      pid=\${pid#/proc/}
      if [ "$pid" = self ]; then continue; fi
      words=$(tr '\\000' '\\n' 2>/dev/null <"$file")
      case $words in *${probeName}*) continue ;; esac
      printf '%s\\n' "$words" | names=$names awk -v who="$pid" "$words_awk"
    done
  else
    ps -axww -o pid=,command= | grep -v ${probeName} | while read -r pid words; do
      printf '%s\\n' "$words" | names=$names awk -v who="$pid" "$words_awk"
    done
  fi | grep '^says'
}
print_references() {
  root=$1 home=$2
  shift 2
  names='' asked='' extra='' lax=''
  own=$root/fetch
  for one in "$@"; do
    case $one in
    name=*) names="$names\${one#name=}
" ;;
    path=*) asked="$asked\${one#path=}
" ;;
    definition=*) extra="$extra\${one#definition=}
" ;;
    esac
  done
  found=$({ every_place; printf '%s' "$extra"; } | sort -u | read_definitions)
  nodes=$(printf '%s\\n' "$found" | resolved)
  more=$(printf '%s\\n' "$nodes" | named_in | sort -u | { lax=yes; read_definitions; })
  processes=$(words_of_processes | sed 's/^says/runs/')
  wanted=$(printf '%s' "$asked" | awk '{ print "asked\\t\\t\\t" $0 }' | resolved)
  {
    printf '%s\\n' "$wanted" | sed 's/^node/asked/'
    printf '%s\\n' "$nodes"
    printf '%s\\n%s\\n' "$more" "$processes" | resolved
    printf '%s\\n%s\\n%s\\n' "$found" "$more" "$processes"
  } | awk -F '\\t' '
    $0 ~ /^(node|asked) / {
      split($0, word, " ")
      path = $0
      sub(/^[^ ]+ [^ ]+ [^ ]+ [^ ]+ /, "", path)
      node[path] = word[2]
      if (word[1] == "asked") { asked[word[2]] = 1; print "node", word[2], path }
      next
    }
    $1 == "says" || $1 == "runs" { print $1, $2, ($4 in node ? node[$4] : "-"), $3; next }
    $1 == "leads" && ($4 in node) && (node[$4] in asked) { print "leads", node[$4], $2, $3 }
    $1 == "unread" { print "unread", $2 }' | sort -u
  for one in "$@"; do
    shift
    case $one in
    file=*)
      one=\${one#file=}
      set -- "$@" "\${one%% *}"
      one=\${one#* }
      set -- "$@" "\${one%% *}" "\${one#* }"
      ;;
    esac
  done
  print_open "$@"
  echo whole
}
`
