import type { Layout } from '../model/facts.ts'
import { type Observed, unknown } from '../model/observed.ts'

/** A path as the probe was asked for it, as it is on the host: `@root/…` and `@home/…` expanded. */
export function expandAsked(path: string, layout: Layout): string {
  if (path.startsWith('@root/')) return layout.root + path.slice('@root'.length)
  if (path.startsWith('@home/')) return layout.home + path.slice('@home'.length)
  return path
}

/** What the probe saw of a file that a manager renders, which it was asked for under another spelling. */
export function seenFile<T>(
  seen: Readonly<Record<string, Observed<T>>>,
  file: { readonly path: string; readonly asked: readonly string[]; readonly layout: Layout },
): Observed<T> {
  const asked = file.asked.find((one) => expandAsked(one, file.layout) === file.path) ?? file.path
  return seen[asked] ?? unknown('not-gathered', `the probe was not asked for ${file.path}`)
}
