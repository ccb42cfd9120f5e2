/**
 * Shell: `print_open DEVICE INODE PATH …`, three words per file. Prints `open PID PATH` for each process that has one open or mapped, as far as
 * this account can see: from `/proc`, else `lsof`. The kernel's list of mappings may show another device than `stat` (btrfs), so there the
 * name counts as well.
 */
export const openFilesFunctions = `
# kernel_device NUMBER: as in the kernel's list of mappings, fd:01
kernel_device() { printf '%02x:%02x' $((($1 >> 8) & 4095)) $((($1 & 255) | (($1 >> 12) & 1048320))); }
print_open() {
  if [ $# = 0 ]; then return; fi
  if [ ! -r /proc/self/maps ]; then
    command -v lsof >/dev/null 2>&1 || return
    while [ $# -gt 2 ]; do
      lsof -nP -F pn -- "$3" 2>/dev/null | path=$3 awk '/^p/ { pid = substr($0, 2) } /^n/ { print "open", pid, ENVIRON["path"] }'
      shift 3
    done
    return
  fi
  held=$(while [ $# -gt 2 ]; do
    printf '%s %s %s %s\\n' "$1" "$2" "$(kernel_device "$1")" "$3"
    shift 3
  done)
  inodes=$(printf '%s\\n' "$held" | awk '{ printf "%s%s", (NR > 1 ? "|" : ""), $2 }')
  {
    find /proc/[0-9]*/fd -type l -exec stat -L -c 'fd %d %i %n' {} + 2>/dev/null
    grep -sHE "^[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +($inodes) " /proc/[0-9]*/maps
  } | held=$held awk '
    BEGIN {
      count = split(ENVIRON["held"], line, "\\n")
      for (i = 1; i <= count; i++) {
        split(line[i], word, " ")
        path = line[i]
        sub(/^[^ ]+ [^ ]+ [^ ]+ /, "", path)
        device[i] = word[1]; inode[i] = word[2]; kernel[i] = word[3]; name[i] = path
        base[i] = path; sub(/.*\\//, "", base[i])
      }
    }
    function print_once(pid, i) { if (!((pid, i) in seen)) { seen[pid, i] = 1; print "open", pid, name[i] } }
    $1 == "fd" {
      split($4, part, "/")
      for (i = 1; i <= count; i++) if ($2 == device[i] && $3 == inode[i]) print_once(part[3], i)
      next
    }
    {
      split($1, part, "/")
      mapped = $0
      sub(/ \\(deleted\\)$/, "", mapped)
      sub(/.*\\//, "", mapped)
      for (i = 1; i <= count; i++) if ($5 == inode[i] && ($4 == kernel[i] || mapped == base[i])) print_once(part[3], i)
    }'
}
`
