import { getAsset, isSea } from 'node:sea'

/**
 * The single binary has no files beside it. There a program of the simulation is started as the binary itself, with this path as its first
 * word: `packaging/binary/main.ts` runs what is embedded under it. Undefined: this is no single binary.
 *
 * @param file named from this folder, as its source is
 */
export function embeddedPath(file: string): string | undefined {
  return isSea() ? `/simulation/${file.replace(/^\.\//, '').replace(/\.ts$/, '.js')}` : undefined
}

/** The text of a file that is embedded in the single binary; undefined: this is none. */
export function embeddedText(file: string): string | undefined {
  return isSea() ? getAsset(file, 'utf8') : undefined
}
