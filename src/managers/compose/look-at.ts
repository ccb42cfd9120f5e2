/**
 * Shell that asks the engine about one container. Used wherever a missing container has consequences.
 *
 * `look_at DOCKER FORMAT NAME` sets `$now` to the formatted result, and `$there` to `yes`, or to nothing if the engine reports no such
 * container. Any other failure (engine down, no permission, overload) prints its message and returns 1.
 *
 * For a missing container, docker prints `Error: No such container: NAME` (clients up to 20.10) or `Error response from daemon: No such
 * container: NAME` (since 23), without the type `Error: No such object: NAME` or, since 28, `error: no such object: NAME`; podman prints
 * `no such object: "NAME"` and `no such container` after other words. `No such` alone is not enough: a missing engine may be
 * `dial unix …: no such file or directory` or `lookup …: no such host`. `@` distinguishes the answer from warnings of the client.
 */
export const lookAt = `look_at() {
  there='' now=''
  if said=$("$1" inspect --type container -f "@$2" "$3" 2>&1); then
    there=yes
    now=$(printf '%s\\n' "$said" | sed -n 's/^@//p')
    return 0
  fi
  case $said in *[Nn]'o such container'* | *[Nn]'o such object'*) return 0 ;; esac
  printf '%s\\n' "$said"
  return 1
}
`
