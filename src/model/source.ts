/** A place in a file people wrote; line and column count from 1. `file` is as given on the command line or relative to it. */
export interface SourceRef {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** Where a host or a service is named, and where each of its keys is written, whatever file or anchor it was merged from. */
export interface KeyedSource extends SourceRef {
  /** By path, as `keyId` makes one. What is not written down (a default) is not in it. */
  readonly keys: Readonly<Record<string, SourceRef>>
}

/** The way to a value: `['port']`, `['model', 'path']`, `['extra_args', 2]`. */
export type KeyPath = readonly (string | number)[]

/** `model.path`, `extra_args.2`. */
export function keyId(path: KeyPath): string {
  return path.join('.')
}

/** Where a key is written; where it is not, the nearest above it that is, in the end the service or host itself. */
export function placeOfKey(source: KeyedSource, path: KeyPath): SourceRef {
  for (let length = path.length; length > 0; length -= 1) {
    const id = keyId(path.slice(0, length))
    const place = Object.hasOwn(source.keys, id) ? source.keys[id] : undefined
    if (place !== undefined) return place
  }
  const { file, line, column } = source
  return { file, line, column }
}
