import type { Layout } from '../model/facts.ts'
import { type Observed, unknown } from '../model/observed.ts'

/** `~/…` as the probe is asked for it. */
export function askedBelowHome(path: string): string {
  return path.replace(/^~\//, '@home/')
}

/** Expands `@root/…` and `@home/…` in a path of the probe's question. */
export function expandAsked(path: string, layout: Layout): string {
  if (path.startsWith('@root/')) return layout.root + path.slice('@root'.length)
  if (path.startsWith('@home/')) return layout.home + path.slice('@home'.length)
  return path
}

/** The same for people, with `~` for their home. */
export function askedPathWords(path: string, layout: Observed<Layout>): string {
  if (path.startsWith('@home/')) return path.replace('@home/', '~/')
  if (!path.startsWith('@root/')) return path
  if (!layout.known) return `${path.slice('@root/'.length)} in converge's folder`
  const { home } = layout.value
  const expanded = expandAsked(path, layout.value)
  return expanded.startsWith(`${home}/`) ? `~${expanded.slice(home.length)}` : expanded
}

/** What the probe saw of a rendered file, which it was asked for under another spelling. */
export function seenFile<T>(
  seen: Readonly<Record<string, Observed<T>>>,
  file: { readonly path: string; readonly asked: readonly string[]; readonly layout: Layout },
): Observed<T> {
  const asked = file.asked.find((one) => expandAsked(one, file.layout) === file.path) ?? file.path
  return seen[asked] ?? unknown('not-gathered', `the probe was not asked for ${file.path}`)
}
