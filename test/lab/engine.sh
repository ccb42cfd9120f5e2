#!/bin/sh
# Makes sure that a container engine answers; starts one of its own only where there is none.
#   engine.sh [start]   an engine is reachable afterwards (idempotent)
#   engine.sh stop      ends the engine that `start` started, and no other
#   engine.sh status    exit 0 when an engine answers
set -eu

cache=${XDG_CACHE_HOME:-$HOME/.cache}/converge-lab
data=$cache/docker
pid_file=$cache/dockerd.pid
log=$cache/dockerd.log

say() { printf 'lab: %s\n' "$*" >&2; }
give_up() { say "$*"; exit 1; }
answers() { docker info >/dev/null 2>&1; }

install_engine() {
  [ "$(id -u)" = 0 ] || give_up "no container engine answers, and only root can start one here"
  command -v apt-get >/dev/null || give_up "no container engine answers, and this is not Debian: start one yourself"
  command -v dockerd >/dev/null && command -v docker >/dev/null && return 0
  apt-get update -qq >/dev/null || say "apt-get update failed; going on with the lists there are"
  # The client is a package of its own from Debian 13 on.
  packages='docker.io iptables'
  ! apt-cache show docker-cli >/dev/null 2>&1 || packages="$packages docker-cli"
  # shellcheck disable=SC2086 # a list of package names
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >/dev/null ||
    give_up "could not install $packages"
}

# Ports are published by NAT rules.
iptables_works() { iptables -t nat -L -n >/dev/null 2>&1; }

# A process is ours when the recorded pid is a dockerd on our own data directory.
ours() {
  [ -s "$pid_file" ] && tr '\0' ' ' <"/proc/$(cat "$pid_file")/cmdline" 2>/dev/null | grep -qF -- "--data-root $data"
}

launch() {
  mkdir -p "$data"
  ours || rm -f "$pid_file"
  iptables_works || give_up "iptables has no NAT table here, so ports could not be published"
  setsid dockerd --data-root "$data" --exec-root "$cache/run" --pidfile "$pid_file" \
    --log-level warn </dev/null >"$log" 2>&1 &
}

start() {
  answers && return 0
  [ -z "${DOCKER_HOST:-}" ] || give_up "no container engine answers at DOCKER_HOST ($DOCKER_HOST)"
  install_engine
  answers && return 0
  ours || launch
  tries=0
  until answers; do
    tries=$((tries + 1))
    [ "$tries" -lt 120 ] || give_up "dockerd did not come up, see $log"
    sleep 0.5
  done
}

stop() {
  ours || { say "no engine of the lab is running"; return 0; }
  pid=$(cat "$pid_file")
  kill -TERM "$pid"
  tries=0
  while kill -0 "$pid" 2>/dev/null; do
    tries=$((tries + 1))
    [ "$tries" -lt 60 ] || give_up "dockerd ($pid) did not end"
    sleep 0.5
  done
}

case ${1:-start} in
  start) start ;;
  stop) stop ;;
  status) answers ;;
  *) give_up "usage: engine.sh [start|stop|status]" ;;
esac
