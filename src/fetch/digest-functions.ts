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
# As git names a file. Its first bytes are no part of it, so a pipe brings them.
git_sha() { { printf 'blob %s\\000' "$bytes" && cat; } | sha 1; }
# is_right FILE: who hashes can be looked at, for how far it is
is_right() {
  [ -f "$1" ] || return 1
  note "hashes $1"
  if [ "$kind" = sha256 ]; then sha 256 <"$1" >"$folder/hash" & else git_sha <"$1" >"$folder/hash" & fi
  worker=$!
  printf '%s %s\\n' "$worker" "$1" >"$folder/hashing"
  wait "$worker"
  worker=
  rm -f "$folder/hashing"
  grep -qi "\\(^\\|[ =]\\)$hex\\($\\|[ ]\\)" "$folder/hash"
}
remember() {
  stamp=$(stat_of "$1") || return 1
  printf '%s %s %s %s\\n' "$kind" "$hex" "$stamp" "$1" >>"$folder/digests"
}
is_remembered() {
  stamp=$(stat_of "$1") || return 1
  last=$(wanted=$1 awk '
    { line = $0; for (i = 0; i < 6; i++) sub(/^[^ ]* /, "", line); if (line == ENVIRON["wanted"]) last = $1 " " $2 " " $3 " " $4 " " $5 " " $6 }
    END { print last }' "$folder/digests" 2>/dev/null)
  [ "$last" = "$kind $hex $stamp" ]
}
`
