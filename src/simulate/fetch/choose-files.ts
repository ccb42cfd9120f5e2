import { compileGlob } from '../../lib/glob.ts'
import type { HubFile } from '../../model/hub-file.ts'
import type { ServerKindName } from '../../model/names.ts'
import { loadsGguf } from '../../servers/traits.ts'

/** The files of one model, in the order of their parts; text: why there are none. Dot folders contain no model, and hosts skip them. */
export function chooseFiles(
  kind: ServerKindName,
  all: readonly HubFile[],
  wanted: readonly string[],
): readonly HubFile[] | string {
  const listed = all.filter(({ path }) => !/(?:^|\/)\.[^/]*\//.test(path))
  const globs = wanted.map((glob) => ({ glob, matches: compileGlob(glob) }))
  const idle = globs.filter(({ matches }) => !listed.some(({ path }) => matches(path)))
  if (idle.length > 0) return `no file matches ${idle.map(({ glob }) => `\`${glob}\``).join(' and ')}`
  const chosen = listed.filter(({ path }) => wanted.length === 0 || globs.some(({ matches }) => matches(path)))
  if (chosen.length === 0) return 'it has no files'
  const files = chosen.toSorted((one, other) => (one.path < other.path ? -1 : 1))
  return loadsGguf(kind) ? oneGguf(files) : files
}

/** One file, or all parts of a split one. Vision projectors (`mmproj`) are not models on their own. */
function oneGguf(files: readonly HubFile[]): readonly HubFile[] | string {
  const models = files.filter(({ path }) => path.endsWith('.gguf') && !/(?:^|\/)mmproj[^/]*$/i.test(path))
  const stems = [...new Set(models.map(({ path }) => partName.exec(path)?.groups?.['stem'] ?? path))]
  const [stem] = stems
  if (stem === undefined) return 'no matching file is a GGUF file'
  if (stems.length > 1) return `${stems.length} models match: ${named(stems)}. Narrow \`files\` to one`
  const count = Number(partName.exec(models[0]?.path ?? '')?.groups?.['count'] ?? 1)
  const isWhole =
    models.length === count &&
    (count === 1 || models.every(({ path }, index) => Number(partName.exec(path)?.groups?.['part']) === index + 1))
  return isWhole ? models : `of the ${count} parts of ${stem}, ${models.length} match`
}

const partName = /^(?<stem>.*)-(?<part>\d{5})-of-(?<count>\d{5})\.gguf$/

const mostNamed = 5

function named(stems: readonly string[]): string {
  const more = stems.length - mostNamed
  return [...stems.slice(0, mostNamed), ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}
