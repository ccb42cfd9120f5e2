/**
 * Shell: `tell_open DEVICE INODE PATH …`, three words a file. Prints `open PID PATH` for each process that has one open or mapped, as
 * far as this account may see: `/proc`, else `lsof`. In the kernel's list of what is mapped the device may be another than everywhere
 * else (btrfs), so there the name counts as well.
 */
export const openFilesFunctions = `
# kernel_device NUMBER: as the list of what is mapped has it, fd:01
kernel_device() { printf '%02x:%02x' $((($1 >> 8) & 4095)) $((($1 & 255) | (($1 >> 12) & 1048320))); }
tell_open() {
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
    function tell(pid, i) { if (!((pid, i) in told)) { told[pid, i] = 1; print "open", pid, name[i] } }
    $1 == "fd" {
      split($4, part, "/")
      for (i = 1; i <= count; i++) if ($2 == device[i] && $3 == inode[i]) tell(part[3], i)
      next
    }
    {
      split($1, part, "/")
      mapped = $0
      sub(/ \\(deleted\\)$/, "", mapped)
      sub(/.*\\//, "", mapped)
      for (i = 1; i <= count; i++) if ($5 == inode[i] && ($4 == kernel[i] || mapped == base[i])) tell(part[3], i)
    }'
}
`
