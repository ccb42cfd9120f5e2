/**
 * Runs on the host, in any awk (mawk, gawk, BusyBox, macOS): replaces the values of keys by `***` before anything is sent. It reads
 * tagged lines: `a ARGUMENT` and `j JSON-STRING` are arguments of a command, one per line; `A` is followed by all of them, each ended by \1, with
 * \2 for line breaks (which are \1 in `a` lines); `|TEXT` is text of a definition (plist, compose file, unit), and `+TEXT` of files beside it; other
 * lines pass unchanged. If in doubt it hides too much: texts are compared by the digest of their original bytes, and this text is only for people.
 */
export const redactAwk = String.raw`
function unescaped(s, quote,   i, c) {
  for (i = 1; i <= length(s); i++) {
    c = substr(s, i, 1)
    if (c == "\\") i++
    else if (c == quote) return i
  }
  return length(s) + 1
}
function until(s, stops,   at) {
  at = match(s, stops)
  return at ? at : length(s) + 1
}
function closing(s, quote,   at) {
  at = unescaped(s, quote)
  if (substr(s, at + 1, 1) ~ /[^] \t,;:})<]/) return length(s) + 1
  return at
}
function ending(s, quote, xml, flag) {
  if (quote != "") return closing(s, quote)
  if (xml) return until(s, "<")
  if (flag) return until(s, "[] \t\"\047,<]")
  return until(s, "[\"\047]")
}
function continued(s,   head, quote) {
  if (s ~ /^[ \t]*(#.*|<!--.*)?\r?$/) return s
  waiting = 0
  match(s, /^[ \t]*(-[ \t]+)?(<string>)?["\047]?/)
  head = substr(s, 1, RLENGTH)
  s = substr(s, RLENGTH + 1)
  quote = head ~ /["\047]$/ ? substr(head, length(head)) : ""
  return head mask substr(s, ending(s, quote, head ~ /<string>$/, 0))
}
function indentation(line) {
  match(line, /^[|+][ \t]*/)
  return RLENGTH
}
function text(s, embedded,   out, low, word, from, flag, quote, sign, xml, rest, comment, element, yaml) {
  if (waiting) {
    s = continued(s)
    if (waiting) return s
  }
  comment = s ~ /^[ \t]*(#|<!--)/
  element = s ~ /^[ \t]*<string>[^<]*<\/string>[ \t]*\r?$/
  out = ""
  for (;;) {
    low = tolower(s)
    if (!match(low, names "|bearer|hf_|-hft")) return out s
    word = substr(low, RSTART, RLENGTH)
    from = RSTART
    out = out substr(s, 1, RSTART + RLENGTH - 1)
    rest = substr(s, RSTART + RLENGTH)
    if (word == "hf_" && match(rest, /^[A-Za-z0-9]+/) && RLENGTH >= 16) {
      out = substr(out, 1, length(out) - 3) mask
      s = substr(rest, RLENGTH + 1)
      continue
    }
    if (word == "bearer" && match(rest, /^[ \t]+[^ \t"\047\\,<]+/)) {
      out = out " " mask
      s = embedded ? "" : substr(rest, RLENGTH + 1)
      continue
    }
    if (word == "hf_" || word == "bearer" || rest ~ /^[A-Za-z0-9_-]/) {
      s = rest
      continue
    }
    while (from > 1 && substr(s, from - 1, 1) ~ /[A-Za-z0-9_.-]/) from--
    flag = substr(s, from, 1) == "-"
    quote = from > 1 ? substr(s, from - 1, 1) : ""
    if (quote != "\"" && quote != "\047") quote = ""
    sign = ""
    if (match(rest, /^["\047]/)) {
      sign = substr(rest, 1, 1)
      quote = ""
      rest = substr(rest, 2)
    }
    xml = match(rest, /^<\/(key|string)>/)
    if (xml) {
      sign = sign substr(rest, 1, RLENGTH)
      rest = substr(rest, RLENGTH + 1)
    }
    match(rest, /^[ \t]*[=:,]?[ \t]*/)
    low = substr(rest, 1, RLENGTH)
    if (!xml && low !~ (flag ? "[=:, \t]" : "[=:]") && !(flag && rest == "")) {
      out = out sign
      s = rest
      continue
    }
    sign = sign low
    rest = substr(rest, RLENGTH + 1)
    if (match(rest, /^(<string>)?["\047]?/) && RLENGTH > 0) {
      low = substr(rest, 1, RLENGTH)
      if (low ~ /["\047]$/) quote = substr(low, length(low))
      sign = sign low
      rest = substr(rest, RLENGTH + 1)
    }
    out = out sign
    yaml = !embedded && !comment && sign ~ /:[ \t]+$/
    if (rest ~ /^([|>][-+0-9]*)?\r?$/ || (yaml && rest ~ /^(([&!][A-Za-z0-9_!:.\/-]*[ \t]+)*[|>][-+0-9]*[ \t]*)?(#.*)?\r?$/)) {
      if (!comment && (flag || xml || sign ~ /:/)) waiting = 1
      if (waiting && rest ~ /[|>]/) block = indentation($0)
      sub(/#[^\r]*/, "#", rest)
      return out rest
    }
    if (yaml && rest ~ /^[&!][^ \t]*[ \t]*(#.*)?\r?$/) block = indentation($0)
    out = out mask
    if (embedded) return out
    s = substr(rest, ending(rest, quote, element || sign ~ /<string>$/, flag))
  }
}
function argument(s,   low) {
  if (waiting) {
    waiting = 0
    return mask
  }
  low = tolower(s)
  if (low ~ "^--?([a-z0-9_-]*[_-])?(pass|" names ")$" || low == "-hft") {
    waiting = 1
    return s
  }
  if (match(low, "^-*[a-z0-9_.-]*" names "=")) return substr(s, 1, RLENGTH) mask
  if (match(low, /^(proxy-authorization|authorization|x-api-key)[ \t]*:/)) return substr(s, 1, RLENGTH) " " mask
  s = text(s, 1)
  waiting = 0
  return s
}
function urls(s,   out) {
  out = ""
  while (match(s, /:\/\/[^\/ \t@:"\047]*:[^\/ \t@"\047]+@/)) {
    out = out substr(s, 1, RSTART - 1)
    s = substr(s, RSTART)
    match(s, /^:\/\/[^:]*:/)
    out = out substr(s, 1, RLENGTH) mask "@"
    s = substr(s, index(s, "@") + 1)
  }
  return out s
}
BEGIN {
  mask = "***"
  names = "(api[_-]?key|_key|token|passwd|password|passphrase|[_-]pass|pwd|credentials?|secret|authorization)"
}
{
  kind = substr($0, 1, 2)
  if (kind ~ /^[|+]/) kind = substr(kind, 1, 1)
  if (kind != last) waiting = block = 0
  last = kind
}
block && kind ~ /^[|+]$/ {
  if ($0 ~ /^[|+][ \t\r]*$/) { print; next }
  if (indentation($0) > block) { print substr($0, 1, indentation($0)) mask; next }
  waiting = block = 0
}
kind == "A " {
  count = split(substr($0, 3), word, "\001")
  if (word[count] == "") count--
  for (i = 1; i <= count; i++) {
    gsub("\002", "\001", word[i])
    print "a " urls(argument(word[i]))
  }
  last = ""
  next
}
kind == "a " { print kind urls(argument(substr($0, 3))); next }
kind == "j " { print kind "\"" urls(argument(substr($0, 4, length($0) - 4))) "\""; next }
kind ~ /^[|+]$/ { print kind urls(text(substr($0, 2), 0)); next }
{ print }
`
