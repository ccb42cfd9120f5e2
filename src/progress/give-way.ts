/** Cursor movements and the like, without text. */
// oxlint-disable-next-line no-control-regex
const onlyEscapes = /^(?:\u001b\[[0-9;?]*[a-zA-Z])*$/

export interface GivenWay {
  /** For the drawing code: bypasses `notice`. */
  readonly write: NodeJS.WriteStream['write']
  stop(): void
}

/**
 * Calls `notice` with every text that other code writes to the stream of a live display (`Interrupted: …`), until `stop`. Without this, the
 * next frame overwrites the text.
 */
export function giveWay(stream: NodeJS.WriteStream, notice: (text: string) => void): GivenWay {
  const own = Object.getOwnPropertyDescriptor(stream, 'write')
  const write = stream.write.bind(stream)
  const watched = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')
    if (onlyEscapes.test(text)) return write(chunk)
    notice(text)
    for (const done of rest) if (typeof done === 'function') done()
    return true
  }
  Object.defineProperty(stream, 'write', { value: watched, writable: true, configurable: true, enumerable: true })
  const stop = (): void => {
    if (own === undefined) Reflect.deleteProperty(stream, 'write')
    else Object.defineProperty(stream, 'write', own)
  }
  return { write, stop }
}
