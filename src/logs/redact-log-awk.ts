/**
 * Runs on the host, in any awk (mawk, gawk, BusyBox, macOS), in the C locale: reads lines of a log, replaces keys by `***` before anything is
 * sent, and writes records of at most 512 bytes, so that several sources can write to one pipe without mixing their bytes.
 *
 * A record is the number of its source, a sign and text: `-` the line continues in the next record of this source, `|` it ends here, `>` it was
 * cut off here.
 *
 * Keys are those in the files that `keys` in the environment lists, one path a line, and whatever looks like one, as in `lib/mask-keys.ts`. A line that is too long
 * even for that loses its last word first, so a cut never leaves half a key.
 */
export const redactLogAwk = String.raw`
function learn(key,   at) {
  gsub(/^["\047]|["\047]$/, "", key)
  if (length(key) < 4) return
  for (at = ++keys; at > 1 && length(known[at - 1]) < length(key); at--) known[at] = known[at - 1]
  known[at] = key
}
function masked(s, opening, value, least,   out, low) {
  out = ""
  low = tolower(s)
  while (match(low, opening)) {
    out = out substr(s, 1, RSTART + RLENGTH - 1)
    s = substr(s, RSTART + RLENGTH)
    if (match(s, value) && RLENGTH >= least) {
      out = out "***"
      s = substr(s, RLENGTH + 1)
    }
    low = tolower(s)
  }
  return out s
}
function variables(s,   out) {
  out = ""
  while (match(s, /[A-Z0-9_](KEY|TOKEN|SECRET|PASSWORD)=/)) {
    out = out substr(s, 1, RSTART + RLENGTH - 1)
    s = substr(s, RSTART + RLENGTH)
    if (match(s, word)) {
      out = out "***"
      s = substr(s, RLENGTH + 1)
    }
  }
  return out s
}
function urls(s,   out) {
  out = ""
  while (match(s, /:\/\/[^ \t\/:@]*:[^ \t\/@]+@/)) {
    out = out substr(s, 1, RSTART - 1)
    s = substr(s, RSTART)
    match(s, /^:\/\/[^:]*:/)
    out = out substr(s, 1, RLENGTH) "***@"
    s = substr(s, index(s, "@") + 1)
  }
  return out s
}
function redacted(s,   i, at, low) {
  for (i = 1; i <= keys; i++)
    while ((at = index(s, known[i])) > 0) s = substr(s, 1, at - 1) "***" substr(s, at + length(known[i]))
  low = tolower(s)
  if (low !~ /key|token|secret|pass|bearer|authorization|hf_|:\/\//) return s
  s = masked(s, "bearer[ \t]+", plain)
  s = masked(s, "authorization[\"\047]?[ \t]*[:=][ \t]*[\"\047]?basic[ \t]+", plain)
  s = masked(s, "--api-key[\"\047]?[= ,][ ]?", word)
  s = masked(s, "(api[_-]?key|secret([_-]key)?|password|passwd|passphrase|(access|auth|hf)[_-]?token)[\"\047]?[ \t]*[:=][ \t]*", word)
  s = masked(s, "[?&](key|token)=", query)
  s = masked(s, "hf_", "^[A-Za-z0-9]+", 16)
  return urls(variables(s))
}
BEGIN {
  longest = 8192
  read = 65536
  key = 4096
  piece = 480
  plain = "^[^ \t\"\047,;<]+"
  query = "^[^& \t\"\047<]+"
  word = "^(\"([^\"\\\\]|\\\\.)*\"|\047[^\047]*\047|[^][ \t,;{}]+)"
  count = split(ENVIRON["keys"], paths, "\n")
  for (i = 1; i <= count; i++) {
    while (paths[i] != "" && (getline line < paths[i]) > 0) {
      learn(line)
      if (!match(line, /^[A-Za-z_][A-Za-z0-9_]*=/)) continue
      line = substr(line, RLENGTH + 1)
      learn(line)
      if (gsub(/\\/, "", line)) learn(line)
    }
  }
}
{
  s = $0
  sign = "|"
  if (length(s) > read) {
    for (at = read; at > read - key && substr(s, at, 1) !~ /[ \t]/; at--) continue
    s = substr(s, 1, at)
    sign = ">"
  }
  gsub("\033\\[[0-9;]*m", "", s)
  sub(/\r+$/, "", s)
  s = redacted(s)
  if (length(s) > longest) {
    s = substr(s, 1, longest)
    sign = ">"
  }
  while (length(s) > piece) {
    printf "%s", number "-" substr(s, 1, piece) "\n"
    fflush()
    s = substr(s, piece + 1)
  }
  printf "%s", number sign s "\n"
  fflush()
}
`
