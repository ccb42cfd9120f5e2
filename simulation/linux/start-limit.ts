/** Limits starts per interval, manual ones included. As in systemd, the interval begins with the first of them. */
export class StartLimit {
  readonly #pace: number
  #since = Number.NEGATIVE_INFINITY
  #count = 0

  constructor(pace: number) {
    this.#pace = pace
  }

  allows({ intervalS, burst }: { readonly intervalS: number; readonly burst: number }): boolean {
    if (intervalS === 0 || burst === 0) return true
    const now = Date.now()
    if (now - this.#since > (intervalS * 1000) / this.#pace) {
      this.#since = now
      this.#count = 0
    }
    if (this.#count >= burst) return false
    this.#count += 1
    return true
  }

  reset(): void {
    this.#since = Number.NEGATIVE_INFINITY
    this.#count = 0
  }
}
