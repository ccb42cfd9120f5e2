# shellcheck shell=sh disable=SC2015,SC2317,SC2329
# Files, as the probe reads them: src/facts/probe-prelude.ts, disks.ts, models-script.ts, definitions.ts,
# apply/file-scripts.ts, apply/audit-log.ts.

stat_words() {
  printf hello >"$folder/file"
  chmod 640 "$folder/file"
  words=$(stat -L -f 'stat %z %m %Lp %Su' "$folder/file" 2>&1)
  printf '%s\n' "$words" | grep -qx "stat 5 [0-9]* 640 $(id -un)" || fail "it said $words"
}

stat_link() {
  ln -s file "$folder/link"
  words=$(stat -L -f 'part %z %N' "$folder/link" 2>&1)
  [ "$words" = "part 5 $folder/link" ] || fail "it said $words"
}

stat_stamp() {
  words=$(stat -L -f 'file %d %i %m %c %B %N' "$folder/link" 2>&1)
  printf '%s\n' "$words" | grep -qx "file [0-9]* [0-9]* [0-9]* [0-9]* [0-9]* $folder/link" || fail "it said $words"
}

# A file that is moved to another folder keeps its modification time; its change time and that of the folder show the move.
# A change of the mode changes only the file.
stat_moved() {
  mkdir "$folder/place"
  printf hello >"$folder/moved"
  written=$(stat -f %m "$folder/moved")
  sleep 2
  mv "$folder/moved" "$folder/place/moved"
  # shellcheck disable=SC2046
  set -- $(stat -L -f '%m %c' "$folder/place/moved") $(stat -L -f 'folder %m %N' "$folder/place/")
  { [ "$1" = "$written" ] && [ "$2" -gt "$written" ] && [ "$4" -gt "$written" ] && [ "$3 $5" = "folder $folder/place/" ]; } || {
    fail "it was written at $written, and moved it said $*"
    return
  }
  sleep 2
  chmod 600 "$folder/place/moved"
  now=$(stat -L -f '%m %c' "$folder/place/moved")
  [ "${now#* }" -gt "$2" ] && [ "$(stat -L -f %m "$folder/place/")" = "$4" ] || fail "with another mode it said $now"
}

stat_none() {
  words=$(stat -f %z "$folder/file" "$folder/none" 2>/dev/null)
  code=$?
  [ "$code" = 1 ] && [ "$words" = 5 ] || fail "it ended with $code and said $words"
}

# SHA-256 of five letters.
digest() {
  for tool in sha256sum 'openssl dgst -sha256 -r' 'shasum -a 256'; do
    if command -v "${tool%% *}" >/dev/null 2>&1; then break; fi
  done
  words=$($tool <"$folder/file" 2>&1)
  observed "$tool: $words"
  case $words in *2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824*) ;; *) return 1 ;; esac
}

df_words() {
  words=$(df -Pk "$folder" 2>&1)
  printf '%s\n' "$words" | sed -n 1p | grep -q '^Filesystem  *1024-blocks ' &&
    printf '%s\n' "$words" | sed -n 2p | grep -qE '^.+ +[0-9]+ +[0-9]+ +-?[0-9]+ +[0-9]+% +/' || fail "it said $words"
}

ls_words() {
  # shellcheck disable=SC2012
  words=$(ls -lnRL "$folder" | awk '/^-.* file$/ { print $5 }')
  [ "$words" = 5 ] || fail "it said $words"
}

# The log of a host, as apply/audit-log.ts and facts/journal.ts use it.
log_end() {
  printf 'one\ntwo' >"$folder/log"
  printf '\nthree\n' | cat >>"$folder/log"
  [ "$(wc -c <"$folder/log")" -eq 14 ] || fail "wc -c says $(wc -c <"$folder/log")"
  [ -z "$(tail -c 1 "$folder/log")" ] && [ "$(tail -c 6 "$folder/log")" = three ] || fail "tail says $(tail -c 6 "$folder/log")"
}

log_lines() {
  words=$(printf '%s\n' '{"event":"run' '{"event":"x","run_id":"a","n":7,"at":1}' | awk '{ split($0, word, "\"") } word[11] { print word[4] word[8] word[11] }')
  [ "$words" = xa:7, ] || fail "it said $words"
}

# A file that is followed, as src/logs/log-script.ts does it: each program goes on where the one before it has stopped reading.
read_on() {
  printf 'one\ntwo\n' >"$folder/followed"
  words=$({
    tail -n 1
    printf 'three\n' >>"$folder/followed"
    cat
  } <"$folder/followed")
  [ "$words" = "$(printf 'two\nthree')" ] || fail "it said $words"
}

ls_inode() {
  # shellcheck disable=SC2012,SC2046
  set -- $(ls -dinL "$folder/followed")
  [ "$1 $6" = "$(stat -f %i "$folder/followed") 14" ] || fail "it said $*"
}

# From a pipe that stays open. mawk, which no Mac has, needs an option for that.
awk_at_once() {
  unbuffered=
  case $(awk -W version 2>&1 </dev/null) in mawk*) unbuffered='-W interactive' ;; esac
  # shellcheck disable=SC2086
  words=$({
    printf 'one\n'
    sleep 5
    printf 'two\n'
  } | awk $unbuffered '{ print; fflush() }' | {
    read -r line
    [ "$line" = one ] && date +%s
    cat >/dev/null
    date +%s
  })
  # shellcheck disable=SC2086
  set -- $words
  [ $# = 2 ] && [ $(($2 - $1)) -ge 2 ] || fail "it said $words"
}

encoding() {
  words=$(base64 <"$folder/file" 2>&1)
  [ "$words" = aGVsbG8= ] || fail "it said $words"
}

lint_good() {
  main_port=0
  write_list "$base.none" lint plain
  words=$(plutil -lint "$folder/lint.plist" 2>&1)
  code=$?
  [ "$code" = 0 ] && [ "$words" = "$folder/lint.plist: OK" ] || fail "it ended with $code and said $words"
}

lint_bad() {
  sed '/<\/dict>/d' "$folder/lint.plist" >"$folder/broken.plist"
  if words=$(plutil -lint "$folder/broken.plist" 2>&1); then fail "it ended with 0 and said $words"; fi
}

# Apple's own editor saves property lists as binary.
binary_list() {
  plutil -convert binary1 -o "$folder/binary.plist" "$folder/lint.plist" 2>/dev/null || {
    skip 'plutil does not write binary property lists'
    return
  }
  first=
  IFS= read -r first <"$folder/binary.plist" 2>/dev/null
  case $first in
    bplist*) ;;
    *)
      fail "it begins with $first"
      return
      ;;
  esac
  plutil -convert xml1 -o - "$folder/binary.plist" 2>/dev/null | grep -q "<string>$base.none</string>" ||
    fail 'plutil -convert xml1 does not show the label'
}

# Known peculiarities of the shell of a Mac, bash 3.2: sh_says WORDS SCRIPT
sh_says() {
  words=$(/bin/sh -c "$2" 2>&1)
  [ "$words" = "$1" ] || fail "it said $words"
}

one_piece() {
  words=$(printf hello | dd obs=65536 2>/dev/null)
  [ "$words" = hello ] || fail "it said $words"
}

section 'files and the shell'
# shellcheck disable=SC2016
try '/bin/sh understands a case with (PATTERN) within $( )' sh_says yes 'x=$(case a in (a) echo yes ;; esac); echo "$x"'
try '/bin/sh has a builtin printf, so that no key is visible in the process list' sh_says printf 'command -v printf'
try 'dd obs=65536 passes on its input' one_piece
try "stat -L -f 'stat %z %m %Lp %Su' prints size, time, octal mode and owner" stat_words
try 'stat -L follows a symbolic link, and %N is the given name' stat_link
try 'stat prints device, inode and times of a file as whole numbers' stat_stamp
try 'a moved file keeps its modification time, and gets a new change time, like its folder; a change of its mode leaves the folder alone' stat_moved
try 'stat prints existing files, and ends with 1 if one is missing' stat_none
try 'sha256sum, openssl or shasum prints the digest of stdin' digest
try 'df -Pk counts in 1024-blocks, in six columns' df_words
try 'ls -ln has the size of a file in its fifth column' ls_words
try 'appended data is at the end of a file, and wc counts it' log_end
try 'awk splits at quotes' log_lines
try 'tail reads a redirected file to its end, and cat goes on from there' read_on
try 'ls -dinL has the inode of a file first and its size sixth' ls_inode
try 'awk prints a line before the next one comes' awk_at_once
try 'base64 encodes its stdin' encoding
try 'plutil -lint ends with 0 for a property list, and says OK' lint_good
try 'plutil -lint does not end with 0 for another file' lint_bad
try 'a binary property list begins with bplist, and plutil -convert xml1 -o - shows it as XML' binary_list
