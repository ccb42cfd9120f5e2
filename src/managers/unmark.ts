import type { Step } from '../model/step.ts'
import { definitionUnchanged } from './linux-checks.ts'

/**
 * Removes our header from a definition that a service keeps when converge releases it: the lines of it that follow one another, at any indentation.
 * Every other byte stays, as do its mode and owner.
 *
 * @param digest SHA-256 of the file; null: there is none, so there is nothing to do
 * @param header its lines, without indentation
 */
export function unmark(path: string, digest: string | null, header: readonly string[]): readonly Step[] {
  if (digest === null) return []
  const script = `file=$1
shift
new=$(mktemp "$file.XXXXXX") || exit 1
cp -p "$file" "$new" || { rm -f "$new"; exit 1; }
awk 'BEGIN { for (end = 1; end < ARGC - 1; end++) { header[end] = ARGV[end]; ARGV[end] = "" } at = 1 }
  { line = $0; gsub(/^[ \\t]+|\\r$/, "", line) }
  at < end && line == header[at] { at++; next }
  { if (at > 1) at = end; print }' "$@" "$file" >"$new" &&
  mv -f "$new" "$file" && exit 0
rm -f "$new"
exit 1`
  return [
    {
      do: 'run',
      label: `remove the header of converge from ${path}`,
      guards: [definitionUnchanged(path, digest)],
      script,
      args: [path, ...header],
      timeoutMs: 60_000,
    },
  ]
}
