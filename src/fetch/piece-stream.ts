import { Transform, type TransformCallback } from 'node:stream'

/** The bytes of one piece on their way; of a host that sends more than was asked for nothing more is taken. */
export class PieceStream extends Transform {
  readonly #bytes: number
  readonly #tell: (came: number) => void
  #came = 0
  #isRight = false

  constructor(bytes: number, tell: (came: number) => void) {
    super({ highWaterMark: 256 * 1024 })
    this.#bytes = bytes
    this.#tell = tell
  }

  /** How many came. */
  get came(): number {
    return this.#came
  }

  /** Resolves once everything written so far has passed; a slow reader holds some of it back. */
  passed(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.write(Buffer.alloc(0), () => resolve())
    return promise
  }

  /** Ends it with one byte more, which says that the piece is what its file holds. */
  confirm(): void {
    this.#isRight = true
    this.end()
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#came += chunk.length
    if (this.#came > this.#bytes) {
      this.destroy()
      return
    }
    this.#tell(this.#came)
    done(null, chunk)
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#isRight ? '.' : undefined)
  }
}
