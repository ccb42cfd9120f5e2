/**
 * Records: `p PID`, `x` the full path of its program (`comm` as the last column is not truncated), `|PPID USER RSS-KIB AGE START…
 * ARGUMENTS` with the five words of `lstart` in the host's time zone: the start time follows from the age and `now SECONDS`, the clock
 * right after the list was made. `end` confirms that the list is complete. Arguments are joined by blanks; no command of macOS separates
 * them.
 */
export const processesMacos = `
servers=
for asked in "$@"; do
  case $asked in exe[AB]=*) servers="$servers\${asked#exe?=}\\t" ;; esac
done
{
  ps -axww -o pid=,comm=
  echo @
  ps -axww -o pid=,ppid=,user=,rss=,etime=,lstart=,command=
  printf 'now %s\\n' "$(date +%s)"
} | awk -v servers="$servers" '
  BEGIN { count = split(servers, server, "\\t") }
  $1 == "@" { full = 1; next }
  $1 == "now" { now = $0; next }
  $1 !~ /^[0-9]+$/ { strange = $0; next }
  !full { pid = $1; sub(/^ *[0-9]+ +/, ""); program[pid] = $0; next }
  /converge-looks-at-this-host/ { next }
  {
    pid = $1; parent[pid] = $2; order[++rows] = pid
    sub(/^ *[0-9]+ +/, ""); line[pid] = $0
    low = tolower($0)
    if (low ~ /llama|serve --|vllm|sglang|mlx|text-generation|kobold|local-ai|lm studio|lmstudio|llmster|lms |lemonade|model-runner|gpustack|huggingface|hf download|caffeinate/) chosen[pid] = 1
    for (i = 1; i < count; i++) if (server[i] != "" && index($0, server[i])) chosen[pid] = 1
    if (low ~ / serve --/) front[pid] = 1
  }
  END {
    for (i = 1; i <= rows; i++) {
      pid = order[i]
      if (!(pid in chosen) && !(parent[pid] in front)) continue
      print "p " pid; print "x " program[pid]; print "|" line[pid]
    }
    if (strange != "") print "strange " strange
    if (now ~ /^now [0-9]+$/) print now
    if (rows > 0) print "end"
  }' | awk "$redactor"
`
