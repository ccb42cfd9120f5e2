import type { Service } from '../model/fleet.ts'
import { loadsGguf } from '../servers/traits.ts'

const partOfName = /-(\d{5})(-of-\d{5}\.gguf)$/

/** Which part of a split GGUF a path names; 1 for a whole one. */
export function partOf(path: string): number {
  return Number(partOfName.exec(path)?.[1] ?? 1)
}

/** The path of the part that a server is given; it finds the others by itself. */
export function firstPartOf(path: string): string {
  return path.replace(partOfName, '-00001$2')
}

/** Its header tells nothing of the whole model, so that only MODEL.INCOMPLETE speaks about it. */
export function isLaterPart({ kind, model }: Service): boolean {
  return loadsGguf(kind) && partOf(model.path) !== 1
}
