# shellcheck shell=sh disable=SC2015,SC2317,SC2329
# Files and what is read of them, as the probe does it: src/facts/probe-prelude.ts, disks.ts, models-script.ts, definitions.ts,
# apply/file-scripts.ts, apply/audit-log.ts.

stat_words() {
  printf hello >"$folder/file"
  chmod 640 "$folder/file"
  words=$(stat -L -f 'stat %z %m %Lp %Su' "$folder/file" 2>&1)
  printf '%s\n' "$words" | grep -qx "stat 5 [0-9]* 640 $(id -un)" || otherwise "it said $words"
}

stat_link() {
  ln -s file "$folder/link"
  words=$(stat -L -f 'part %z %N' "$folder/link" 2>&1)
  [ "$words" = "part 5 $folder/link" ] || otherwise "it said $words"
}

stat_stamp() {
  words=$(stat -L -f 'file %d %i %m %c %B %N' "$folder/link" 2>&1)
  printf '%s\n' "$words" | grep -qx "file [0-9]* [0-9]* [0-9]* [0-9]* [0-9]* $folder/link" || otherwise "it said $words"
}

# A file that is moved to another folder keeps when it was written; that it came there is seen by when it and the folder were changed.
# Another mode changes the file alone.
stat_moved() {
  mkdir "$folder/place"
  printf hello >"$folder/moved"
  written=$(stat -f %m "$folder/moved")
  sleep 2
  mv "$folder/moved" "$folder/place/moved"
  # shellcheck disable=SC2046
  set -- $(stat -L -f '%m %c' "$folder/place/moved") $(stat -L -f 'folder %m %N' "$folder/place/")
  { [ "$1" = "$written" ] && [ "$2" -gt "$written" ] && [ "$4" -gt "$written" ] && [ "$3 $5" = "folder $folder/place/" ]; } || {
    otherwise "it was written at $written, and moved it said $*"
    return
  }
  sleep 2
  chmod 600 "$folder/place/moved"
  now=$(stat -L -f '%m %c' "$folder/place/moved")
  [ "${now#* }" -gt "$2" ] && [ "$(stat -L -f %m "$folder/place/")" = "$4" ] || otherwise "with another mode it said $now"
}

stat_none() {
  words=$(stat -f %z "$folder/file" "$folder/none" 2>/dev/null)
  code=$?
  [ "$code" = 1 ] && [ "$words" = 5 ] || otherwise "it ended with $code and said $words"
}

# SHA-256 of five letters.
digest() {
  for tool in sha256sum 'shasum -a 256' 'openssl dgst -sha256'; do
    if command -v "${tool%% *}" >/dev/null 2>&1; then break; fi
  done
  words=$($tool <"$folder/file" 2>&1)
  told "$tool: $words"
  case $words in *2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824*) ;; *) return 1 ;; esac
}

df_words() {
  words=$(df -Pk "$folder" 2>&1)
  printf '%s\n' "$words" | sed -n 1p | grep -q '^Filesystem  *1024-blocks ' &&
    printf '%s\n' "$words" | sed -n 2p | grep -qE '^.+ +[0-9]+ +[0-9]+ +-?[0-9]+ +[0-9]+% +/' || otherwise "it said $words"
}

ls_words() {
  # shellcheck disable=SC2012
  words=$(ls -lnRL "$folder" | awk '/^-.* file$/ { print $5 }')
  [ "$words" = 5 ] || otherwise "it said $words"
}

# As the log of what was done on a host is kept, by apply/audit-log.ts and facts/journal.ts.
log_end() {
  printf 'one\ntwo' >"$folder/log"
  printf '\nthree\n' | cat >>"$folder/log"
  [ "$(wc -c <"$folder/log")" -eq 14 ] || otherwise "wc -c says $(wc -c <"$folder/log")"
  [ -z "$(tail -c 1 "$folder/log")" ] && [ "$(tail -c 6 "$folder/log")" = three ] || otherwise "tail says $(tail -c 6 "$folder/log")"
}

log_lines() {
  words=$(printf '%s\n' '{"event":"run' '{"event":"x","run_id":"a","n":7,"at":1}' | awk '{ split($0, word, "\"") } word[11] { print word[4] word[8] word[11] }')
  [ "$words" = xa:7, ] || otherwise "it said $words"
}

encoding() {
  words=$(base64 <"$folder/file" 2>&1)
  [ "$words" = aGVsbG8= ] || otherwise "it said $words"
}

lint_good() {
  main_port=0
  write_list "$base.none" lint plain
  words=$(plutil -lint "$folder/lint.plist" 2>&1)
  code=$?
  [ "$code" = 0 ] && [ "$words" = "$folder/lint.plist: OK" ] || otherwise "it ended with $code and said $words"
}

lint_bad() {
  sed '/<\/dict>/d' "$folder/lint.plist" >"$folder/broken.plist"
  if words=$(plutil -lint "$folder/broken.plist" 2>&1); then otherwise "it ended with 0 and said $words"; fi
}

# A definition that somebody has edited with Apple's own editor is binary.
binary_list() {
  plutil -convert binary1 -o "$folder/binary.plist" "$folder/lint.plist" 2>/dev/null || {
    untriable 'plutil writes no binary one'
    return
  }
  first=
  IFS= read -r first <"$folder/binary.plist" 2>/dev/null
  case $first in
    bplist*) ;;
    *)
      otherwise "it begins with $first"
      return
      ;;
  esac
  plutil -convert xml1 -o - "$folder/binary.plist" 2>/dev/null | grep -q "<string>$base.none</string>" ||
    otherwise 'plutil -convert xml1 does not show the label'
}

# What the shell of a Mac, bash 3.2, is known to be particular about: sh_says WORDS SCRIPT
sh_says() {
  words=$(/bin/sh -c "$2" 2>&1)
  [ "$words" = "$1" ] || otherwise "it said $words"
}

one_piece() {
  words=$(printf hello | dd obs=65536 2>/dev/null)
  [ "$words" = hello ] || otherwise "it said $words"
}

section 'files and the shell'
# shellcheck disable=SC2016
try '/bin/sh understands a case with (PATTERN) within $( )' sh_says yes 'x=$(case a in (a) echo yes ;; esac); echo "$x"'
try '/bin/sh has a printf of its own, so that no key is seen in the process list' sh_says printf 'command -v printf'
try 'dd obs=65536 hands on what it reads' one_piece
try "stat -L -f 'stat %z %m %Lp %Su' prints size, time, octal mode and owner" stat_words
try 'stat -L follows a symbolic link, and %N is the name that was given' stat_link
try 'stat tells device, inode and the times of a file in whole numbers' stat_stamp
try 'what is moved to a folder keeps when it was written, and when it was changed and the folder are new; another mode leaves the folder as it is' stat_moved
try 'stat tells of the files that are there, and ends with 1 when one is not' stat_none
try 'sha256sum, shasum or openssl tells the digest of stdin' digest
try 'df -Pk counts in 1024-blocks, in six columns' df_words
try 'ls -ln has the size of a file in its fifth column' ls_words
try 'what is added to a file is at its end, and can be counted' log_end
try 'awk splits at quotes' log_lines
try 'base64 encodes its stdin' encoding
try 'plutil -lint ends with 0 for a property list, and says OK' lint_good
try 'plutil -lint does not end with 0 for what is none' lint_bad
try 'a binary property list begins with bplist, and plutil -convert xml1 -o - shows it as XML' binary_list
