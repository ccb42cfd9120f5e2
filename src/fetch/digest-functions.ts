/** Shell: `stamp_of FILE` sets `$stamp` to the stamp of a file as it is recorded, `BYTES INODE MODIFIED CHANGED`, and fails if it is missing. */
export const stampFunctions = `
stat_by=-c stat_form='%s %i %Y %Z'
if [ "$(uname -s)" = Darwin ]; then stat_by=-f stat_form='%z %i %m %c'; fi
stamp_of() { stamp=$(stat -L "$stat_by" "$stat_form" "$1" 2>/dev/null); }
`

/**
 * Shell for digests of files and their records: a file that still has the stamp it had when it was hashed is not read again. Uses `$kind`,
 * `$hex`, `$bytes` of the file, and `$folder`.
 */
export const digestFunctions = `${stampFunctions}# size_of FILE: sets $size; 0 if it is missing
size_of() {
  size=0
  if [ -e "$1" ] && stamp_of "$1"; then size=\${stamp%% *}; fi
}
# openssl, if installed, is sometimes faster.
sha() {
  if has openssl; then openssl dgst "-sha$1"
  elif has "sha$1sum"; then "sha$1sum"
  else shasum -a "$1"
  fi
}
# Hashes as git does. The header is not in the file, so a pipe prepends it; fails if the input could not be read completely.
git_sha() {
  drop "$folder/read"
  { printf 'blob %s\\000' "$bytes" && cat && : >"$folder/read"; } | sha 1 && [ -e "$folder/read" ]
}
# hash_once FILE: 0 right, 1 wrong, 2 unknown: it could not be read completely, or it changed meanwhile. Sets $seen, its stamp
hash_once() {
  stamp_of "$1" && [ -f "$1" ] || return 1
  seen=$stamp
  note "hashes $1"
  if [ "$kind" = sha256 ]; then sha 256 <"$1" >"$folder/hash" & else git_sha <"$1" >"$folder/hash" & fi
  worker=$!
  printf '%s %s\\n' "$worker" "$1" >"$folder/hashing"
  wait "$worker"
  hash_ended=$?
  worker=
  rm -f "$folder/hashing" "$folder/read"
  found=$(hex=$hex awk '{ for (i = 1; i <= NF; i++) if (length($i) == length(ENVIRON["hex"]) && $i !~ /[^0-9a-f]/) print $i }' "$folder/hash")
  [ "$hash_ended" = 0 ] && [ -n "$found" ] && stamp_of "$1" && [ "$stamp" = "$seen" ] || return 2
  [ "$found" = "$hex" ]
}
# is_right FILE: like hash_once, with up to three tries; the progress of the hashing process is readable. Unknown never discards a file.
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
not_hashed() { fail unread "$1 could not be hashed: it is not completely readable, it changed meanwhile, or \${folder%/*} is full"; }
# remember FILE: records the digest with the stamp $seen
remember() { printf '%s %s %s %s\\n' "$kind" "$hex" "$seen" "$1" >>"$folder/digests"; }
is_remembered() {
  [ -f "$folder/digests" ] && stamp_of "$1" || return 1
  last=$(wanted=$1 awk '
    { line = $0; for (i = 0; i < 6; i++) sub(/^[^ ]* /, "", line); if (line == ENVIRON["wanted"]) last = $1 " " $2 " " $3 " " $4 " " $5 " " $6 }
    END { print last }' "$folder/digests" 2>/dev/null)
  [ "$last" = "$kind $hex $stamp" ]
}
`
