/**
 * Shell that fetches a file with the hub's own tool. The tool cannot resume after it ended, and its exit status is unreliable: so it works in
 * its own folder, and its output is hashed before it gets its name, like any other. It receives the token in its environment, which only its
 * account and root can read. Its preferred transfer protocol stalls on some networks.
 *
 * Uses the definitions of `piece-functions.ts`, `$hub`, `$repo`, `$commit` and `$name`.
 */
export const hubToolFunctions = `
choose_hub_tool() {
  for one in hf huggingface-cli; do
    if [ -z "$hub_tool" ] && has "$one"; then hub_tool=$one; fi
  done
}
# Final answers of the hub, as hf 1.23 words them; retrying is pointless.
refused_by_hub() {
  said=$(tail -c 20000 "$folder/curl" 2>/dev/null)
  case $said in
    *'requires approval'* | *GatedRepo*) fail gated "$hub_tool reports that the terms have not been accepted" ;;
    *'401 Unauthorized'* | *'403 Forbidden'*) fail denied "$hub_tool reports that the hub denies access" ;;
    *'404 Not Found'*) fail absent "$hub_tool reports that the hub does not have it" ;;
  esac
}
fetch_by_hub_tool() {
    # The tool refuses larger files without the transfer protocol that stalls.
  if [ "$bytes" -gt 50000000000 ]; then fail tools "$hub_tool cannot fetch files over 50 GB; curl can"; fi
  failures=0 odd=0 wait_s=
  must_be_plain "$part"
  while size_of "$part"; [ ! -e "$part" ] || [ "$size" != "$bytes" ]; do
    if ! holds_file; then fail busy "another job took over $path"; fi
    rm -rf "$part.hub"
    mkdir "$part.hub" || cannot_write "its folder refuses files"
    (
      export HF_HUB_DISABLE_XET=1 HF_HUB_DISABLE_PROGRESS_BARS=1 HF_HUB_DISABLE_TELEMETRY=1 HF_ENDPOINT="$hub"
      if [ -n "$token" ]; then export HF_TOKEN="$token"; fi
      run "$hub_tool" download --revision "$commit" --local-dir "$part.hub" -- "$repo" "$name"
    ) >"$folder/curl" 2>&1 &
    worker=$!
    wait "$worker"
    status=$?
    worker=
    came=$part.hub/$name
    size_of "$came"
    if [ -f "$came" ] && [ ! -L "$came" ] && [ "$size" = "$bytes" ]; then
      mv -f "$came" "$part"
    else
      why="$hub_tool ended with $status without a complete file$(last_output)"
      check_disk
      if [ "$status" != 0 ]; then refused_by_hub; fi
      pause
    fi
    rm -rf "$part.hub"
  done
}
`
