/** How a request for a file goes wrong; what is not named goes well. Several go together, as `slow` and `cut` do. It is plain JSON. */
export interface FileMood {
  /** Bytes per second. */
  readonly slow?: number
  /** The connection is lost after so many bytes of the body. */
  readonly cut?: number
  /** After this many bytes of the body, the answer hangs. */
  readonly hang?: number
  /** Not even a head comes. */
  readonly silent?: true
  readonly status?: number
  /** 403, because the account has not accepted the terms of the repository; or the token is unknown. */
  readonly gated?: 'terms' | 'token'
  /** 429, and when it is to be asked again. */
  readonly busy?: { readonly by: 'retry-after' | 'ratelimit'; readonly seconds: number }
  /** A page of a proxy, with this status. */
  readonly html?: 200 | 206
  /** Ranges are ignored: 200, and everything. */
  readonly whole?: true
  /** A request without a range gets 400, however small the file. */
  readonly rangeOnly?: true
  /** Other content, of the same size or one byte longer, under another ETag. */
  readonly changed?: 'etag' | 'size'
  /** The range that is sent, and stated, starts here, whatever was asked. */
  readonly start?: number
  /** So many bytes more than were asked for, and than Content-Range says. */
  readonly longer?: number
  /** Bytes without end, and without a Content-Length. */
  readonly endless?: true
  /** The byte at this offset of the file is wrong. */
  readonly flip?: number
  /** A redirect to the third server, to the same URL again, or anywhere. */
  readonly redirect?: 'elsewhere' | 'loop' | { readonly location: string }
}

/** One after another; the last one stays. */
export class Moods<M> {
  #next: readonly M[]
  readonly #well: M

  constructor(well: M) {
    this.#well = well
    this.#next = [well]
  }

  set(moods: readonly M[]): void {
    this.#next = moods
  }

  take(): M {
    const [mood = this.#well, ...rest] = this.#next
    if (rest.length > 0) this.#next = rest
    return mood
  }
}
