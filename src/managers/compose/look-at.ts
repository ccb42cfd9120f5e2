/**
 * Shell that asks the engine about one container, for everything that is concluded from its not being there.
 *
 * `look_at DOCKER FORMAT NAME` sets `$now` to what the format yields, and `$there` to `yes`, or to nothing where the engine says that there is
 * no such container. Any other failure is no answer (it does not run, lets us not in, is overloaded): its words are said, and the status is 1.
 *
 * Asked for a container, docker says `Error: No such container: NAME` (clients up to 20.10) or `Error response from daemon: No such container:
 * NAME` (since 23), without the type `Error: No such object: NAME` or, since 28, `error: no such object: NAME`; podman in its place has
 * `no such object: "NAME"` and `no such container`, with other words before it. `No such` alone is too little: an engine that is gone may be
 * `dial unix …: no such file or directory` or `lookup …: no such host`. What the client warns of stands beside the answer, so that is marked.
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
