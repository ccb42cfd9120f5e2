/**
 * Shell. `unsafe_above FOLDER`: like OpenSSH with the folders of its keys, converge requires that only its account and root can change the
 * folder and those above it. Exit 0 and one line, `MODE UID FOLDER`, for the deepest that others can change; MODE is `unknown` if it cannot
 * be read. Call it in a subshell. The user behind sudo is trusted, and so are the account's own group and root's. On a Synology, permissions
 * are not in the mode.
 */
export const safeFolderFunctions = `
# can_be_changed MODE UID GID FOLDER
can_be_changed() {
  case $2 in 0 | "\${SUDO_UID:-0}") ;; *) [ -O "$4" ] || return 0 ;; esac
  case $1 in
    *+) if command -v synoacltool >/dev/null 2>&1; then return 1; fi ;;
  esac
  case $1 in
    ?????????[tT]*) return 1 ;;
    ????????w*) return 0 ;;
    ?????w*)
      if [ "$3" = 80 ] && [ "$(uname -s)" = Darwin ]; then return 1; fi
      case $3 in 0 | "$2") return 1 ;; esac
      return 0 ;;
  esac
  return 1
}
unsafe_above() {
  case $1 in /*) nearest=$1 ;; *) return 1 ;; esac
  until [ -d "\${nearest:-/}" ]; do nearest=\${nearest%/*}; done
  real=$(cd -P "\${nearest:-/}" 2>/dev/null && pwd -P) || real=
  set --
  for way in "$nearest" "\${real%/}"; do
    until [ -z "$way" ]; do
      set -- "$@" "$way/."
      way=\${way%/*}
    done
    [ "$real" != "\${nearest:-/}" ] || break
  done
  set -- "$@" /.
  asked=$# count=0 found=
  rows=$(ls -ldn "$@" 2>/dev/null)
  set -f
  IFS='
'
  for one in $rows; do
    count=$((count + 1)) folder=/\${one#*/} IFS=' '
    set -- \${one%%/*}
    # The deepest one is reported.
    if [ "\${#folder}" -gt "\${#found}" ] && can_be_changed "$1" "$3" "$4" "$folder"; then found=$folder row="$1 $3"; fi
  done
  [ "$count" = "$asked" ] || found=\${nearest:-/}/. row='unknown 0'
  [ -n "$found" ] || return 1
  found=\${found%/.}
  printf '%s %s\\n' "$row" "\${found:-/}"
}
`
