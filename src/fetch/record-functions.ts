import { fetchFunctions } from '../facts/fetches-script.ts'
import { entryFunctions } from './entry-functions.ts'
import { lockFunctions } from './job-lock.ts'

/** The limit of downloads listed per host. */
export const mostRecords = 500

/**
 * Shell: `print_records` for all downloads of a host. Needs `look`, `$root` and `$family`. Prints `state`, and for each folder `job ID`, `hidden`
 * or `alive`, `said`, `about`, and with counts `want BYTES KIND HEX PATH`, `made BYTES INODE MODIFIED PATH`, `digest …`, `entry MODE BYTES INODE
 * MODIFIED CHANGED DEVICE PATH` for what is there now, without following links, `tree BYTES SUM PATH` of folders that are only a part; `whole`.
 */
export const recordFunctions = `${fetchFunctions}${lockFunctions}${entryFunctions}
line_break='
'
# entries_at PATH…: the files with these names, and their parts
entries_at() {
  for path in "$@"; do
    for one in "$path" "$path".????????.part "$path".????????.part.* "$path".????????.piece-[0-9]*; do
      if [ ! -e "$one" ] && [ ! -L "$one" ]; then continue; fi
      case $one in *"$line_break"*) continue ;; esac
      if [ "$family" = macos ]; then stat -f 'entry %p %z %i %m %c %d %N' "$one"; else stat -c 'entry %f %s %i %Y %Z %d %n' "$one"; fi
      case $one in
      *.part.hub) if [ -d "$one" ] && [ ! -L "$one" ]; then printf 'tree %s %s\\n' "$(tree_of "$one")" "$one"; fi ;;
      esac
    done
  done
}
print_record() {
  printf 'job %s\\n' "$id"
  if [ ! -r "$job" ] || [ ! -x "$job" ]; then echo hidden; return; fi
  holder_of "$job/lock"
  if lives "$job/process" || is_alive "$held" || is_starting "$job"; then echo 'alive yes'; else echo 'alive no'; fi
  first_line "$job/state" 5000
  printf 'said %s\\n' "$line"
  first_line "$job/about" 60000
  printf 'about %s\\n' "$line"
  counted wants "$(bounded "$job/files" | awk -F '\\t' '{ print "want", $1, $2, $3, $5 }')"
  counted fetched "$(bounded "$job/fetched" | sed 's/^/made /')"
  counted digests "$(bounded "$job/digests" | tail -n "$most_files" | sed 's/^/digest /')"
  paths=$({
    bounded "$job/files" | awk -F '\\t' '{ print $5 }'
    bounded "$job/fetched" | awk '{ sub(/^[0-9]+ [0-9]+ [0-9]+ [0-9]+ /, ""); print }'
    sed -n 's/.*"model":"\\(\\/[^"\\\\]*\\)".*/\\1\\/converge.part/p' "$job/about"
  } 2>/dev/null | sort -u)
  counted entries "$(printf '%s\\n' "$paths" | {
    set --
    while IFS= read -r path; do
      case $path in (/*) set -- "$@" "$path" ;; esac
    done
    entries_at "$@"
  })"
}
print_records() {
  look "$root/fetch"
  if [ "$state" = there ] && { [ ! -d "$root/fetch" ] || [ ! -r "$root/fetch" ] || [ ! -x "$root/fetch" ]; }; then state=hidden; fi
  printf 'state %s\\n' "$state"
  if [ "$state" = there ]; then
    records=0
    for job in "$root"/fetch/*; do
      id=\${job##*/}
      case $id in *[!0-9a-f]*) continue ;; ????????????????) ;; *) continue ;; esac
      if [ ! -d "$job" ] || [ -L "$job" ]; then continue; fi
      records=$((records + 1))
      if [ "$records" -gt ${mostRecords} ]; then echo more; break; fi
      print_record
    done
  fi
  echo whole
}
`
