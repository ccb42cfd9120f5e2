/**
 * Shell that has the hub's own tool fetch a file. It resumes nothing once it has ended, and its exit status says nothing about the file: so it
 * works in a folder of its own, and what it puts there is hashed before it has its name, as with any other. It is given the token in
 * its environment, which its account and root alone can read. The transfer protocol that it prefers stalls for ever on some networks.
 *
 * Uses what `piece-functions.ts` defines, `$hub`, `$repo`, `$commit` and `$name`.
 */
export const hubToolFunctions = `
choose_hub_tool() {
  for one in hf huggingface-cli; do
    if [ -z "$hub_tool" ] && has "$one"; then hub_tool=$one; fi
  done
}
# Answers of the hub, as hf 1.23 words them, that no further try changes.
refused_by_hub() {
  said=$(tail -c 20000 "$folder/curl" 2>/dev/null)
  case $said in
    *'requires approval'* | *GatedRepo*) fail gated "$hub_tool says that the terms have not been accepted" ;;
    *'401 Unauthorized'* | *'403 Forbidden'*) fail denied "$hub_tool says that the hub denies it" ;;
    *'404 Not Found'*) fail absent "$hub_tool says that the hub does not have it" ;;
  esac
}
fetch_by_hub_tool() {
  # Without the transfer protocol that stalls on some networks it refuses these.
  if [ "$bytes" -gt 50000000000 ]; then fail tools "$hub_tool fetches no file over 50 GB; curl does"; fi
  failures=0 odd=0 wait_s=
  must_be_plain "$part"
  while [ ! -e "$part" ] || [ "$(size_of "$part")" != "$bytes" ]; do
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
    if [ -f "$came" ] && [ ! -L "$came" ] && [ "$(size_of "$came")" = "$bytes" ]; then
      mv -f "$came" "$part"
    else
      why="$hub_tool ended with $status and left no whole file$(last_words)"
      check_disk
      if [ "$status" != 0 ]; then refused_by_hub; fi
      pause
    fi
    rm -rf "$part.hub"
  done
}
`
