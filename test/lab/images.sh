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
# shellcheck source=/dev/null
setting() (eval "$2=''" && . "$recipes/$1.recipe" && eval "printf '%s' \"\${$2}\"")
# Of all that NAME is made by: its own recipe, and that of its base.
digest() {
  {
    cat "$recipes/rootfs.sh" "$recipes/people.sh"
    for name in "$1" $(setting "$1" base); do cat "$recipes/$name.recipe"; done
  } | sha256 | cut -c1-12
}
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

# root_filesystem NAME OUT.tar
root_filesystem() {
  base=$(setting "$1" base)
  log=$cache/build-$1.log
  say "building $1 from Debian packages (about a minute, once)"
  sh "$recipes/rootfs.sh" "$1" "$2" ${base:+"$(base_tar "$base")"} >"$log" 2>&1 ||
    { say "building $1 failed: $(tail -n 3 "$log")"; exit 1; }
}

# What several machines begin with is kept for the next one.
base_tar() { echo "$cache/$1-$(digest "$1").tar"; }
build_base() {
  tar=$(base_tar "$1")
  [ ! -f "$tar" ] || return 0
  rm -f "$cache/$1"-*.tar
  root_filesystem "$1" "$tar.build"
  mv "$tar.build" "$tar"
}

build() (
  name=$1
  import_change=$(setting "$name" import_change)
  tar=$cache/$name.tar.build
  trap 'rm -f "$tar"' EXIT
  trap 'exit 1' HUP INT TERM
  root_filesystem "$name" "$tar"
  docker import --change "LABEL converge.lab=image" ${import_change:+--change "$import_change"} \
    "$tar" "$(image "$name")" >/dev/null
  remove_older "$name" "$(image "$name")"
)

# All that are missing and begin with this one: build_family BASE, which may be `none`
build_family() {
  members=''
  for name in $missing; do
    base=$(setting "$name" base)
    [ "${base:-none}" != "$1" ] || members="$members $name"
  done
  [ "$1" = none ] || build_base "$1"
  # shellcheck disable=SC2086 # a list of names
  side_by_side build $members
}

# What an older recipe made, where no container uses it: remove_older NAME NEWEST
remove_older() {
  for old in $(docker image ls --format '{{.Repository}}:{{.Tag}}' "converge-lab/$1"); do
    [ "$old" = "$2" ] || docker image rm "$old" >/dev/null 2>&1 || true
  done
}

# The engine of a host cannot pull either: here is the image that it has from the beginning.
preloaded() {
  case $1 in nas | old-nas) echo server ;; esac
}
whole() {
  held=$(preloaded "$1")
  if [ -z "$held" ]; then image "$1"; else echo "converge-lab/$1-preloaded:$(digest "$1")-$(digest "$held")"; fi
}

# An engine has loaded the image once, and that of each host begins with a copy of what it wrote down. What it unpacked is not copied: that
# is only read, and lies in the image of the host. What tells one engine from another is not among it.
preload() (
  held=$(preloaded "$1")
  official_name=$(setting "$held" official_name)
  log=$cache/preload-$1.log
  tar=$cache/$1-preloaded.tar.build
  say "loading $official_name into the engine of $1"
  docker tag "$(image "$held")" "$official_name"
  container=$(docker create "$(image "$1")" true)
  trap 'rm -f "$tar"; docker rm "$container" >/dev/null' EXIT
  trap 'exit 1' HUP INT TERM
  docker save "$official_name" | docker run --rm --interactive --network none --cap-add SYS_ADMIN --tmpfs /run \
    --security-opt seccomp=unconfined --security-opt apparmor=unconfined \
    --volume /sys/fs/cgroup:/sys/fs/cgroup --volume /var/lib/docker "$(image "$1")" sh -c "$load_once" >"$tar" 2>"$log" ||
    { say "preloading $1 failed: $(tail -n 3 "$log")"; exit 1; }
  docker cp - "$container:/" <"$tar"
  docker commit "$container" "$(whole "$1")" >/dev/null
  remove_older "$1-preloaded" "$(whole "$1")"
)
# shellcheck disable=SC2016 # it is the shell of the host that is to expand it
load_once='rm -f /etc/docker/daemon.json
dockerd --iptables=false --bridge=none >&2 & engine=$!
tries=0
until docker info >/dev/null 2>&1; do
  tries=$((tries + 1))
  [ "$tries" -lt 120 ] && kill -0 "$engine" || exit 1
  sleep 0.5
done
docker load >&2 && kill "$engine" && wait "$engine" || exit 1
cd /var/lib/docker
mkdir -p /usr/lib/preloaded/engine /usr/lib/preloaded/layers
for layer in overlay2/*/diff; do
  place=/usr/lib/preloaded/layers/$(basename "$(dirname "$layer")")
  cp -a "$layer" "$place" && rm -rf "$layer" && ln -s "$place" "$layer" || exit 1
done
cp -a image overlay2 /usr/lib/preloaded/engine
mkdir -p /etc/systemd/system/docker.service.d
cat >/etc/systemd/system/docker.service.d/preloaded.conf <<"CONF"
[Service]
ExecStartPre=/bin/sh -c "[ -e /var/lib/docker/overlay2 ] || cp -a /usr/lib/preloaded/engine/. /var/lib/docker"
CONF
tar -C / -c usr/lib/preloaded etc/systemd/system/docker.service.d'

make_bare() {
  missing=$(for name in "$@"; do have "$(image "$name")" || echo "$name"; done)
  [ -n "$missing" ] || return 0
  ensure_mmdebstrap
  # shellcheck disable=SC2046 # a list of names
  side_by_side build_family $(for name in $missing; do base=$(setting "$name" base); echo "${base:-none}"; done | sort -u)
}
make_whole() {
  have "$(whole "$1")" || preload "$1"
}
# Each of the names at the same time: side_by_side COMMAND NAME…
side_by_side() {
  make=$1 pids=''
  shift
  for name in "$@"; do "$make" "$name" 9>&- & pids="$pids $!"; done
  for pid in $pids; do wait "$pid"; done
}

# make_all NAME…
make_all() {
  # Two runs at once build each image once.
  if command -v flock >/dev/null; then exec 9>"$cache/images.lock" && flock 9; fi
  rm -f "$cache"/*.build
  needed=$(for name in "$@"; do preloaded "$name"; echo; done | sort -u)
  # shellcheck disable=SC2046,SC2086 # lists of names
  make_bare $(printf '%s\n' "$@" $needed | sort -u)
  side_by_side make_whole "$@"
}
all_made() {
  for name in "$@"; do have "$(whole "$name")" || return 1; done
}

[ $# -gt 0 ] || set -- nas box busybox
# With all images at hand, there is no need to wait for a run that builds another one.
all_made "$@" || make_all "$@"
for name in "$@"; do echo "$name $(whole "$name")"; done
