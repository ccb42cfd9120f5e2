import { baseName } from '../servers/invocation.ts'

/**
 * A name for a service: its alias, or else the file of its model, without the parts of a split file and its quantisation.
 *
 * @param taken names in use on its host
 */
export function serviceName(alias: string | undefined, model: string | undefined, taken: ReadonlySet<string>): string {
  const base = slug(alias === undefined || alias.includes('/') ? (model ?? alias ?? '') : alias)
  for (let count = 1; ; count++) {
    const name = count === 1 ? base : `${base}-${count}`
    if (!taken.has(name)) return name
  }
}

/** Of a path or an alias, this much is looked at. */
const longestSeen = 1024

/** It becomes part of names of files, units and containers. */
const longest = 63

function slug(text: string): string {
  const stem = baseName(text.slice(-longestSeen).replace(/\/+$/, ''))
    .replace(/\.gguf$/i, '')
    .replace(/-\d{5}-of-\d{5}$/, '')
    .replace(/[-._](i?q\d\w*|bf16|f16|f32|mxfp4\w*|ud-\w+)$/i, '')
  const name = stem
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/-{2,}/g, '-')
    .replaceAll(/^[^a-z0-9]+/g, '')
    .slice(0, longest)
    .replaceAll(/[^a-z0-9]+$/g, '')
  return name === '' ? 'server' : name
}
