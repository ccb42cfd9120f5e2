# shellcheck shell=sh disable=SC2015,SC2317,SC2329
# The machine, as the probe reads it: src/facts/platform.ts, layout.ts, memory.ts; src/managers/launchd/log-rule.ts; src/state/process-identity.ts.

uname_words() {
  # shellcheck disable=SC2046
  set -- $(uname -s -n -r -m)
  [ $# = 4 ] && [ "$1" = Darwin ] && one_of "$4" arm64 x86_64 || fail "it said $*"
}

id_words() {
  observed "$(id -u) $(id -un)"
  id -u | grep -qx '[0-9][0-9]*' && id -un | grep -qx '[A-Za-z0-9._-]*' || return 1
}

boot_id() {
  words=$(sysctl -n kern.bootsessionuuid 2>&1)
  printf '%s\n' "$words" | grep -qEx '[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}' || fail "it said $words"
}

machine_id() {
  words=$(ioreg -rd1 -c IOPlatformExpertDevice 2>&1 | grep IOPlatformUUID)
  printf '%s\n' "$words" | grep -qE '"IOPlatformUUID" = "[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"' || fail "it said $words"
}

sysctl_lines() {
  memory=$(sysctl hw.memsize iogpu.wired_limit_mb 2>/dev/null)
  printf '%s\n' "$memory" | grep -qx 'hw.memsize: [0-9][0-9]*' || {
    fail "it said $memory"
    return
  }
  case $memory in *iogpu.wired_limit_mb:*) observed 'iogpu.wired_limit_mb as well' ;; *) observed 'no iogpu.wired_limit_mb here' ;; esac
}

sysctl_bare() {
  words=$(sysctl -n hw.memsize hw.pagesize 2>&1)
  [ "$(printf '%s\n' "$words" | grep -cx '[0-9][0-9]*')" = 2 ] || fail "it said $words"
}

sysctl_unknown() {
  words=$(sysctl hw.memsize converge.none 2>/dev/null)
  code=$?
  [ "$code" != 0 ] && [ "${words%%:*}" = hw.memsize ] || fail "it ended with $code and said $words"
}

vm_stat_page() {
  size=$(vm_stat | sed -n '1s/^Mach Virtual Memory Statistics: (page size of \([0-9]*\) bytes)$/\1/p')
  one_of "$size" 4096 16384 && [ "$size" = "$(sysctl -n hw.pagesize)" ] || fail "it said $(vm_stat | head -n 1)"
}

vm_stat_rows() {
  for name in 'Pages wired down' 'Anonymous pages' 'Pages occupied by compressor' 'Pages purgeable'; do
    vm_stat | grep -q "^$name: *[0-9][0-9]*\.\$" || {
      fail "there is no row $name"
      return
    }
  done
}

# Memory that cannot be reclaimed is less than the total: the plan relies on this sum.
vm_stat_sum() {
  used=$(vm_stat | awk -v total="$(sysctl -n hw.memsize)" -v page="$(sysctl -n hw.pagesize)" -F ': *' '
    { sub(/\.$/, "", $2) }
    $1 == "Pages wired down" || $1 == "Anonymous pages" || $1 == "Pages occupied by compressor" { sum += $2 }
    $1 == "Pages purgeable" { sum -= $2 }
    END { printf "%d", sum * page * 100 / total }')
  observed "$used % of the memory is held"
  [ "$used" -gt 0 ] && [ "$used" -le 100 ]
}

# More of it counts as lost by a server that was killed.
vm_stat_wired() {
  gib=$(vm_stat | awk -v page="$(sysctl -n hw.pagesize)" -F ': *' '
    $1 == "Pages wired down" { sub(/\.$/, "", $2); printf "%.1f", $2 * page / 1073741824 }')
  total=$(($(sysctl -n hw.memsize) / 1073741824))
  usual=$((total / 10 > 8 ? total / 10 : 8))
  observed "$gib of $total GiB are wired"
  # shellcheck disable=SC2009 # the probe uses ps as well
  if ps -axo command= | grep -qiE '[l]lama-server|[l]lama serve|[o]llama|[m]lx|[l]m studio'; then
    skip "$gib of $total GiB are wired, beside a model server"
    return
  fi
  [ "${gib%.*}" -lt "$usual" ] || fail "$gib of $total GiB are wired: reboot the Mac, and try again"
}

version_words() {
  words=$(sw_vers)
  printf '%s\n' "$words" | grep -q "^ProductName:[$tab ]*[Mm]ac" &&
    printf '%s\n' "$words" | grep -q "^ProductVersion:[$tab ]*[0-9][0-9.]*\$" || fail "it said $words"
}

sleep_rows() {
  words=$(pmset -g custom 2>&1)
  printf '%s\n' "$words" | grep -q ' Power:$' &&
    printf '%s\n' "$words" | grep -q '^ [A-Za-z].* [0-9]' || fail "it said $words"
}

# Asked without root (r), and only to read (n).
log_rule() {
  printf '# ours\n%s\n' "$folder/*.log $(id -un):staff 640 5 10240 * GN" >"$folder/rule.conf"
  words=$(newsyslog -nrf "$folder/rule.conf" 2>&1) || {
    fail "it ended with $? and said $words"
    return
  }
  printf '%s\n' "$folder/*.log often" >"$folder/rule.conf"
  if words=$(newsyslog -nrf "$folder/rule.conf" 2>&1); then fail "it took another line and said $words"; fi
}

section 'the machine'
try 'uname -s -n -r -m prints four words, Darwin first and the architecture last' uname_words
try 'id -u prints a number, id -un a name of letters, digits and ._-' id_words
try 'sysctl -n kern.bootsessionuuid prints a UUID' boot_id
try 'ioreg of the platform prints its IOPlatformUUID' machine_id
try 'sysctl hw.memsize iogpu.wired_limit_mb prints lines NAME: NUMBER' sysctl_lines
try 'sysctl -n prints only the numbers' sysctl_bare
try 'sysctl prints known names beside an unknown one, and does not end with 0' sysctl_unknown
try 'vm_stat begins with the page size, which is the one of sysctl' vm_stat_page
try 'vm_stat has rows for wired, anonymous, compressor and purgeable pages, which end with a dot' vm_stat_rows
try 'vm_stat: wired, anonymous and compressed pages without purgeable ones are a part of the memory' vm_stat_sum
try 'vm_stat: without a model server, less than 8 GiB or a tenth of the memory is wired' vm_stat_wired
try 'sw_vers prints ProductName: and ProductVersion:' version_words
try 'newsyslog reads a rule for a pattern of logs, with flags GN, and rejects another line' log_rule
try 'pmset -g custom prints a heading and rows NAME VALUE' sleep_rows
