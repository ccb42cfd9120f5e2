#!/bin/sh
# Makes the lab's images from Debian packages and prints `NAME IMAGE` for each: images.sh [NAME…]
# An image is tagged with the digest of its recipe, so that a second run has nothing to do.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
recipes=$here/images
cache=${XDG_CACHE_HOME:-$HOME/.cache}/converge-lab
mkdir -p "$cache"

say() { printf 'lab: %s\n' "$*" >&2; }

sha256() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi; }
digest() { cat "$recipes/rootfs.sh" "$recipes/people.sh" "$recipes/$1.recipe" | sha256 | cut -c1-12; }
# shellcheck source=/dev/null
setting() (. "$recipes/$1.recipe" && eval "printf '%s' \"\${$2:-}\"")
image() { echo "converge-lab/$1:$(digest "$1")"; }
have() { docker image inspect "$1" >/dev/null 2>&1; }

ensure_mmdebstrap() {
  command -v mmdebstrap >/dev/null && return 0
  run_as_root=
  [ "$(id -u)" = 0 ] || run_as_root='sudo -n'
  command -v apt-get >/dev/null || { say "images are built by mmdebstrap, which this machine lacks"; exit 1; }
  { $run_as_root apt-get update -qq && $run_as_root apt-get install -y -qq --no-install-recommends \
    mmdebstrap debian-archive-keyring; } >/dev/null 2>&1 ||
    { say "images are built by mmdebstrap, and it could not be installed"; exit 1; }
}

build() (
  name=$1
  import_change=$(setting "$name" import_change)
  log=$cache/build-$name.log
  tar=$cache/$name.tar.build
  trap 'rm -f "$tar"' EXIT
  trap 'exit 1' HUP INT TERM
  say "building $name from Debian packages (about a minute, once)"
  sh "$recipes/rootfs.sh" "$name" "$tar" >"$log" 2>&1 || { say "building $name failed: $(tail -n 3 "$log")"; exit 1; }
  docker import --change "LABEL converge.lab=image" ${import_change:+--change "$import_change"} \
    "$tar" "$(image "$name")" >/dev/null
  # What an older recipe made, where no container uses it.
  for old in $(docker image ls --format '{{.Repository}}:{{.Tag}}' "converge-lab/$name"); do
    [ "$old" = "$(image "$name")" ] || docker image rm "$old" >/dev/null 2>&1 || true
  done
)

# The nested engine of a host cannot pull either: it is given this archive.
archive() {
  tar=$cache/$1-$(digest "$1").tar
  [ -s "$tar" ] && return 0
  rm -f "$cache/$1"-*.tar
  docker tag "$(image "$1")" "$2"
  docker save "$2" >"$tar.build" && mv "$tar.build" "$tar"
}

make_one() {
  have "$(image "$1")" || { ensure_mmdebstrap; build "$1"; }
  official_name=$(setting "$1" official_name)
  [ -z "$official_name" ] || archive "$1" "$official_name"
}

[ $# -gt 0 ] || set -- nas box busybox server
# Two runs at once build each image once.
if command -v flock >/dev/null; then exec 9>"$cache/images.lock" && flock 9; fi
rm -f "$cache"/*.build
pids=
for name in "$@"; do make_one "$name" 9>&- & pids="$pids $!"; done
for pid in $pids; do wait "$pid"; done
for name in "$@"; do
  echo "$name $(image "$name")"
  [ ! -s "$cache/$name-$(digest "$name").tar" ] || echo "$name.tar $cache/$name-$(digest "$name").tar"
done
