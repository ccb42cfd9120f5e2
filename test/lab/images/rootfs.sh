#!/bin/sh
# Builds one root file system from Debian packages: rootfs.sh RECIPE OUT.tar
# A recipe sets `suite`, `variant`, `packages` and may define `customise ROOT`.
# The mirror is whatever mmdebstrap finds: the machine's own apt sources, else Debian's default.
set -eu
recipes=$(cd "$(dirname "$0")" && pwd)
recipe=$1 suite='' variant='' packages=''
# shellcheck source=/dev/null
. "$recipes/$recipe.recipe"

if [ "${2:-}" = --customise ]; then
  # Of the packages that were there before dpkg.
  rm -rf "$3"/usr/share/doc/* "$3"/usr/share/man/* "$3"/usr/share/locale/* "$3"/usr/share/info/*
  customise "$3"
  exit 0
fi

# The extract variant ends before the customize hooks.
hook=--customize-hook
[ "$variant" != extract ] || hook=--extract-hook

# As options of mmdebstrap, the same exclusions would start a Python for each package.
# shellcheck disable=SC2016 # mmdebstrap's shell expands it
lean='mkdir -p "$1/etc/dpkg/dpkg.cfg.d" && printf "path-exclude=/usr/share/%s/*\n" doc man locale info >"$1/etc/dpkg/dpkg.cfg.d/lean"'

set -- --variant="$variant" --format=tar --include="$packages" \
  --aptopt='Acquire::Check-Valid-Until "false"' \
  --setup-hook="$lean" \
  "$hook=sh '$recipes/rootfs.sh' '$recipe' --customise \"\$1\"" \
  "$suite" "$2"

run_as_root=
[ "$(id -u)" = 0 ] || run_as_root='sudo -n'
exec $run_as_root mmdebstrap "$@"
