import type { Step } from '../model/step.ts'
import { definitionUnchanged } from './linux-checks.ts'

/**
 * Removes our header from a definition that a service keeps when converge releases it. Every other byte stays, as do its mode and owner.
 *
 * @param digest SHA-256 of the file; null: there is none, so there is nothing to do
 * @param header the lines to remove, whole
 */
export function unmark(path: string, digest: string | null, header: readonly string[]): readonly Step[] {
  if (digest === null) return []
  const script = `file=$1
shift
new=$file.converge-new
cp -p "$file" "$new" || exit 1
awk 'BEGIN { for (i = 1; i < ARGC - 1; i++) { drop[ARGV[i]] = 1; ARGV[i] = "" } } !($0 in drop)' "$@" "$file" >"$new" &&
  mv -f "$new" "$file" && exit 0
rm -f "$new"
exit 1`
  return [
    {
      do: 'run',
      label: `take the mark of converge from ${path}`,
      guards: [definitionUnchanged(path, digest)],
      script,
      args: [path, ...header],
      timeoutMs: 60_000,
    },
  ]
}
