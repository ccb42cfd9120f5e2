/** A position in a file of the user; line and column count from 1. `file` is as given on the command line or relative to it. */
export interface SourceRef {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** The position of a host or service, and of each of its keys, whatever file or anchor it was merged from. */
export interface KeyedSource extends SourceRef {
  /** By path, as `keyId` formats it. Defaults are not included. */
  readonly keys: Readonly<Record<string, SourceRef>>
}

/** The path to a value: `['port']`, `['model', 'path']`, `['extra_args', 2]`. */
export type KeyPath = readonly (string | number)[]

/** `model.path`, `extra_args.2`. */
export function keyId(path: KeyPath): string {
  return path.join('.')
}

/** The position of a key, or of its nearest written parent; finally of the service or host itself. */
export function placeOfKey(source: KeyedSource, path: KeyPath): SourceRef {
  for (let length = path.length; length > 0; length -= 1) {
    const id = keyId(path.slice(0, length))
    const place = Object.hasOwn(source.keys, id) ? source.keys[id] : undefined
    if (place !== undefined) return place
  }
  const { file, line, column } = source
  return { file, line, column }
}
