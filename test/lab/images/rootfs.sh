#!/bin/sh
# Builds one root file system from Debian packages: rootfs.sh RECIPE OUT.tar [BASE.tar]
# A recipe sets `suite` and `variant`, or `base`, the recipe that it adds to; it may set `packages` and define `customise ROOT`.
# The mirror is whatever mmdebstrap finds: the machine's own apt sources, else Debian's default.
set -eu
recipes=$(cd "$(dirname "$0")" && pwd)
recipe=$1 suite='' variant='' packages='' base=''
customise() { :; }
# shellcheck source=/dev/null
. "$recipes/$recipe.recipe"

if [ "${2:-}" = --customise ]; then
  # Of the packages that were there before dpkg.
  rm -rf "$3"/usr/share/doc/* "$3"/usr/share/man/* "$3"/usr/share/locale/* "$3"/usr/share/info/*
  customise "$3"
  # dpkg did what the first boot of an image has to do.
  touch "$3/etc/.updated" "$3/var/.updated"
  exit 0
fi

# The extract variant ends before the customize hooks.
hook=--customize-hook
[ "$variant" != extract ] || hook=--extract-hook

# As options of mmdebstrap, the same exclusions would start a Python for each package.
# shellcheck disable=SC2016 # mmdebstrap's shell expands it
lean='mkdir -p "$1/etc/dpkg/dpkg.cfg.d" && printf "path-exclude=/usr/share/%s/*\n" doc man locale info >"$1/etc/dpkg/dpkg.cfg.d/lean"'

if [ -n "$base" ]; then
  variant=custom
  # shellcheck source=/dev/null
  suite=$(. "$recipes/$base.recipe" && echo "$suite")
  first="tar -C \"\$1\" --numeric-owner --xattrs -xpf '$3'"
else
  first=$lean
fi

set -- --variant="$variant" --format=tar ${packages:+"--include=$packages"} \
  --aptopt='Acquire::Check-Valid-Until "false"' \
  --setup-hook="$first" \
  "$hook=sh '$recipes/rootfs.sh' '$recipe' --customise \"\$1\"" \
  "$suite" "$2"

run_as_root=
[ "$(id -u)" = 0 ] || run_as_root='sudo -n'
exec $run_as_root mmdebstrap "$@"
