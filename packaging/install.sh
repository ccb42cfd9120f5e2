#!/bin/sh
# Installs converge from a release: one program that needs no Node, its manual pages and its completions.
#
#   sh install.sh                       into ~/.local
#   sh install.sh --prefix /usr/local   elsewhere
#   sh install.sh --uninstall           removes what it installed there
#
# CONVERGE_DOWNLOADS is the address of another folder with SHA256SUMS and the archives.

set -eu

# Where the release lies that this script belongs to; a release fills it in.
released=

say() { printf '%s\n' "$*"; }
give_up() {
  printf 'install.sh: %s\n' "$1" >&2
  shift
  for line in "$@"; do printf '  %s\n' "$line" >&2; done
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

usage() {
  cat <<'USAGE'
Usage: install.sh [--prefix FOLDER] [--uninstall]

  --prefix FOLDER   install below this folder (default: ~/.local)
  --uninstall       remove what was installed below it
  -h, --help        show this help

CONVERGE_DOWNLOADS names another folder to download from: an address, https://…
USAGE
}

platform() {
  system=$(uname -s) machine=$(uname -m)
  case $system in
  Linux) system=linux ;;
  Darwin) system=darwin ;;
  esac
  case $machine in
  x86_64 | amd64) machine=x64 ;;
  aarch64 | arm64) machine=arm64 ;;
  esac
  # A shell that Rosetta translates sees another processor than there is.
  if [ "$system-$machine" = darwin-x64 ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then machine=arm64; fi
  case $system-$machine in
  linux-x64 | linux-arm64 | darwin-arm64) say "$system-$machine" ;;
  *) give_up "there is no binary for this platform ($system-$machine)" \
    'There is one for Linux on x64 and arm64, and for macOS on arm64.' \
    'With Node 24, converge runs on others too: see docs/install.md.' ;;
  esac
}

# download ADDRESS FILE BYTES: at most so many. curl also ends what is slower than 1 kB a second, and goes from https to nothing else.
download() {
  case $1 in https:*) only='=https' ;; *) only='=http,https' ;; esac
  if has curl; then
    curl --fail --silent --show-error --location --retry 2 --connect-timeout 20 --speed-limit 1000 --speed-time 30 \
      --max-filesize "$3" --proto "$only" --proto-redir "$only" --output "$2" "$1"
  elif has wget; then
    (ulimit -f $(($3 / 512)) && exec wget -q -T 20 -O "$2" "$1")
  else
    give_up 'neither curl nor wget is here to download with' 'Install one of them, and try again.'
  fi || give_up "the download of $1 failed" 'Nothing was installed.'
}

sha256() {
  if has sha256sum; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d' ' -f1
}

# Prints the name of the archive, after its content was found to be what SHA256SUMS says.
fetch_checked() {
  has sha256sum || has shasum ||
    give_up 'neither sha256sum nor shasum is here to check the download with' 'Nothing was installed.'
  download "$downloads/SHA256SUMS" "$work/SHA256SUMS" 1000000
  line=$(grep -E "^[0-9a-f]{64} [ *]converge-[0-9A-Za-z.+-]+-$1\.tar\.gz\$" "$work/SHA256SUMS") ||
    give_up "SHA256SUMS of $downloads names no archive for $1" 'Nothing was installed.'
  [ "$(say "$line" | wc -l)" -eq 1 ] || give_up "SHA256SUMS of $downloads names several archives for $1" 'Nothing was installed.'
  archive=${line#*converge-} archive=converge-$archive
  download "$downloads/$archive" "$work/$archive" 1000000000
  found=$(sha256 "$work/$archive")
  [ "$found" = "${line%% *}" ] || give_up "$archive is not the file that SHA256SUMS names" \
    "expected ${line%% *}" "found    $found" 'The download was cut off or changed. Nothing was installed.'
  say "$archive"
}

install_below() {
  name=$(platform)
  archive=$(fetch_checked "$name")
  tar -xzf "$work/$archive" -C "$work"
  folder=$work/${archive%.tar.gz}
  version=$("$folder/bin/converge" --version) || give_up 'the program does not start on this system' \
    'On Linux it needs glibc, which Alpine has not, and libatomic, which is the package libatomic1 on Debian and Ubuntu.' \
    'Nothing was installed.'
  { mkdir -p "$prefix/bin" "$prefix/share" && cp -R "$folder/share/." "$prefix/share"; } ||
    give_up "$prefix cannot be written" 'Manual pages and completions may be installed; the program is not.'
  # A converge that runs keeps its file, and there is no moment with half a program.
  { [ ! -d "$prefix/bin/converge" ] && mv -f "$folder/bin/converge" "$prefix/bin/converge"; } ||
    give_up "$prefix/bin/converge cannot be written" 'Manual pages and completions are installed; the program is not.'
  say "converge $version is installed: $prefix/bin/converge"
  case :$PATH: in
  *":$prefix/bin:"*) ;;
  *)
    say "$prefix/bin is not on your PATH. Add it in the file of your shell, such as ~/.profile:"
    say "  export PATH=\"$prefix/bin:\$PATH\""
    ;;
  esac
  has ssh || say 'converge reaches hosts with OpenSSH, and there is no ssh on your PATH: install it as well.'
}

uninstall() {
  # This script installs a file. A link was made by npm or by Homebrew.
  if [ -L "$prefix/bin/converge" ] || [ ! -f "$prefix/bin/converge" ]; then
    give_up "this script installed no converge below $prefix" 'Nothing was removed. Choose the folder with --prefix.'
  fi
  rm -f "$prefix/bin/converge" "$prefix"/share/man/man1/converge.1 "$prefix"/share/man/man1/converge-*.1 \
    "$prefix/share/man/man5/converge-inventory.5" "$prefix/share/bash-completion/completions/converge" \
    "$prefix/share/zsh/site-functions/_converge" "$prefix/share/fish/vendor_completions.d/converge.fish"
  say "converge is removed from $prefix. Its state, and schedules that you installed, are still there: see docs/install.md."
}

main() {
  case ${HOME:-} in
  /?*) prefix=$HOME/.local ;;
  *) prefix= ;;
  esac
  action=install_below
  while [ $# -gt 0 ]; do
    case $1 in
    --prefix)
      [ $# -ge 2 ] || give_up '--prefix needs a folder'
      prefix=$2
      shift
      ;;
    --prefix=*) prefix=${1#*=} ;;
    --uninstall) action=uninstall ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) give_up "$1 is unknown" 'See install.sh --help.' ;;
    esac
    shift
  done
  case $prefix in
  '') give_up 'there is no folder to install below: HOME or --prefix is empty' 'Choose a folder with --prefix.' ;;
  /*) ;;
  *) prefix=$PWD/$prefix ;;
  esac
  while [ "$prefix" != "${prefix%/}" ]; do prefix=${prefix%/}; done
  if [ "$action" = install_below ]; then
    downloads=${CONVERGE_DOWNLOADS:-$released}
    downloads=${downloads%/}
    [ -n "$downloads" ] || give_up 'CONVERGE_DOWNLOADS is not set' \
      'This script is of no release. Set it to the address of the folder that has SHA256SUMS and the archives.'
    # There, because the folder for temporary files may be small, and may run no programs.
    { mkdir -p "$prefix" && work=$(mktemp -d "$prefix/.converge-install.XXXXXX"); } ||
      give_up "$prefix cannot be written" 'Choose another folder with --prefix.'
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
  fi
  "$action"
}

# The last line, so that half a script does nothing.
main "$@"
