/** A promise that is rejected once the signal is aborted, for what has no ear for signals: undici looks at a request's only once it is connected. */
export function rejectedBy(signal: AbortSignal, words: string): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  const giveUp = (): void => reject(new Error(words))
  signal.addEventListener('abort', giveUp, { once: true })
  if (signal.aborted) giveUp()
  return promise
}
