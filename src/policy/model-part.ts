import type { Service } from '../model/fleet.ts'
import { loadsGguf } from '../servers/traits.ts'

const partOfName = /-(\d{5})(-of-\d{5}\.gguf)$/

/** Which part of a split GGUF a path names; 1 for a whole one. */
export function partOf(path: string): number {
  return Number(partOfName.exec(path)?.[1] ?? 1)
}

/** The path of the first part: a server gets that one and finds the others itself. */
export function firstPartOf(path: string): string {
  return path.replace(partOfName, '-00001$2')
}

/** The header of a later part does not describe the whole model, so only MODEL.INCOMPLETE judges it. */
export function isLaterPart({ kind, model }: Service): boolean {
  return loadsGguf(kind) && partOf(model.path) !== 1
}
