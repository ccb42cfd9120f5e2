/**
 * Shell. \`unsafe_above FOLDER\`: like OpenSSH with the folders of its keys, converge requires that only its account and root can change the
 * folder and those above it. Exit 0 and one line, \`MODE UID FOLDER\`, for the first that others can change; MODE is \`unknown\` if it cannot
 * be read. The user behind sudo is trusted, and so are the account's own group and root's. On a Synology, permissions are not in the mode.
 */
export const safeFolderFunctions = `
can_be_changed() {
  row=$(ls -ldn "$1/." 2>/dev/null | awk 'NR == 1 { print $1, $3, $4 }')
  [ -n "$row" ] || { row="unknown 0"; return 0; }
  mode=\${row%% *} gid=\${row##* }
  row=\${row% *}
  uid=\${row##* }
  case $uid in 0 | "\${SUDO_UID:-0}") ;; *) [ -O "$1/." ] || return 0 ;; esac
  case $mode in
    *+) if command -v synoacltool >/dev/null 2>&1; then return 1; fi ;;
  esac
  case $mode in
    ?????????[tT]*) return 1 ;;
    ????????w*) return 0 ;;
    ?????w*)
      if [ "$gid" = 80 ] && [ "$(uname -s)" = Darwin ]; then return 1; fi
      case $gid in 0 | "$uid") return 1 ;; esac
      return 0 ;;
  esac
  return 1
}
unsafe_above() {
  case $1 in /*) nearest=$1 ;; *) return 1 ;; esac
  until [ -d "\${nearest:-/}" ]; do nearest=\${nearest%/*}; done
  real=$(cd -P "\${nearest:-/}" 2>/dev/null && pwd -P) || real=$nearest
  for way in "$nearest" "$real"; do
    while :; do
      if can_be_changed "\${way:-/}"; then printf '%s %s\\n' "$row" "\${way:-/}"; return 0; fi
      case $way in '' | /) break ;; esac
      way=\${way%/*}
    done
  done
  return 1
}
`
