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
  customise "$3"
  exit 0
fi

# The extract variant ends before the customize hooks.
hook=--customize-hook
[ "$variant" != extract ] || hook=--extract-hook

set -- --variant="$variant" --format=tar --include="$packages" \
  --aptopt='Acquire::Check-Valid-Until "false"' \
  --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' \
  --dpkgopt='path-exclude=/usr/share/info/*' \
  "$hook=sh '$recipes/rootfs.sh' '$recipe' --customise \"\$1\"" \
  "$suite" "$2"

run_as_root=
[ "$(id -u)" = 0 ] || run_as_root='sudo -n'
exec $run_as_root mmdebstrap "$@"
