/** Why a file of this machine cannot be read; `message` follows the file's name. */
export class UnreadableFile extends Error {
  /** The code of the system (`ENOENT`); absent if converge itself refuses to read it. */
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.name = 'UnreadableFile'
    this.code = code
  }
}

/** @param most bytes */
export function tooLarge(most: number): UnreadableFile {
  const words = most < 1024 ** 2 ? `${Math.floor(most / 1024)} KiB` : `${Math.floor(most / 1024 ** 2)} MiB`
  return new UnreadableFile(`it is larger than ${words}`)
}
