/** Shell: `stat_of FILE` prints the stamp of a file, as it is remembered: `BYTES INODE MODIFIED CHANGED`. */
export const stampFunctions = `
if [ "$(uname -s)" = Darwin ]; then
  stat_of() { stat -L -f '%z %i %m %c' "$1" 2>/dev/null; }
else
  stat_of() { stat -L -c '%s %i %Y %Z' "$1" 2>/dev/null; }
fi
`

/**
 * Shell for digests of files, and for what is remembered of them: a file that has the stamp it had when it was hashed is not read again. Uses
 * `$kind`, `$hex`, `$bytes` of the file it is about, and `$folder`.
 */
export const digestFunctions = `${stampFunctions}size_of() {
  stamp=$(stat_of "$1") || stamp=0
  echo "\${stamp%% *}"
}
inode_of() {
  stamp=$(stat_of "$1") || return 1
  stamp=\${stamp#* }
  echo "\${stamp%% *}"
}
# openssl is some times faster, where it is there.
sha() {
  if has openssl; then openssl dgst "-sha$1"
  elif has "sha$1sum"; then "sha$1sum"
  else shasum -a "$1"
  fi
}
# As git names a file. Its first bytes are no part of it, so a pipe brings them; fails for what could not be read to its end.
git_sha() {
  rm -f "$folder/read"
  { printf 'blob %s\\000' "$bytes" && cat && : >"$folder/read"; } | sha 1 && [ -e "$folder/read" ]
}
# hash_once FILE: 0 right, 1 wrong, 2 unknown: it could not be read to its end, or it changed meanwhile. Sets $seen, its stamp
hash_once() {
  seen=$(stat_of "$1") && [ -f "$1" ] || return 1
  note "hashes $1"
  if [ "$kind" = sha256 ]; then sha 256 <"$1" >"$folder/hash" & else git_sha <"$1" >"$folder/hash" & fi
  worker=$!
  printf '%s %s\\n' "$worker" "$1" >"$folder/hashing"
  wait "$worker"
  hash_ended=$?
  worker=
  rm -f "$folder/hashing" "$folder/read"
  found=$(hex=$hex awk '{ for (i = 1; i <= NF; i++) if (length($i) == length(ENVIRON["hex"]) && $i !~ /[^0-9a-f]/) print $i }' "$folder/hash")
  [ "$hash_ended" = 0 ] && [ -n "$found" ] && [ "$(stat_of "$1")" = "$seen" ] || return 2
  [ "$found" = "$hex" ]
}
# is_right FILE: as hash_once, up to three times; the progress of the hashing process can be read. Unknown is no reason to discard anything.
is_right() {
  tried=0
  while :; do
    hash_once "$1"
    right=$?
    tried=$((tried + 1))
    if [ "$right" -lt 2 ] || [ "$tried" -ge 3 ]; then return "$right"; fi
    note "$1 could not be hashed; trying again"
  done
}
not_hashed() { fail unread "$1 could not be hashed: it cannot be read to its end, it changed meanwhile, or \${folder%/*} is full"; }
# remember FILE: of the stamp $seen
remember() { printf '%s %s %s %s\\n' "$kind" "$hex" "$seen" "$1" >>"$folder/digests"; }
is_remembered() {
  stamp=$(stat_of "$1") || return 1
  last=$(wanted=$1 awk '
    { line = $0; for (i = 0; i < 6; i++) sub(/^[^ ]* /, "", line); if (line == ENVIRON["wanted"]) last = $1 " " $2 " " $3 " " $4 " " $5 " " $6 }
    END { print last }' "$folder/digests" 2>/dev/null)
  [ "$last" = "$kind $hex $stamp" ]
}
`
