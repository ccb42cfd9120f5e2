/** The queue for the engine, and the counts that `/health` shows to clients with the key. */
export class Slots {
  readonly #capacity: number
  readonly #maxQueue: number
  readonly #queue: (() => void)[] = []
  #active = 0
  #admitted = 0
  #completed = 0
  #rejected = 0

  constructor(capacity: number, maxQueue: number) {
    this.#capacity = capacity
    this.#maxQueue = maxQueue
  }

  /** False: the queue is full. */
  async admit(): Promise<boolean> {
    if (this.#active >= this.#capacity) {
      if (this.#queue.length >= this.#maxQueue) {
        this.#rejected += 1
        return false
      }
      await new Promise<void>((resolve) => this.#queue.push(resolve))
    }
    this.#active += 1
    this.#admitted += 1
    return true
  }

  release(completed: boolean): void {
    this.#active -= 1
    if (completed) this.#completed += 1
    this.#queue.shift()?.()
  }

  counts(): Readonly<Record<string, number>> {
    return {
      active: this.#active,
      queued: this.#queue.length,
      capacity: this.#capacity,
      max_queue: this.#maxQueue,
      queue_timeout_seconds: 300,
      admitted: this.#admitted,
      completed: this.#completed,
      rejected: this.#rejected,
      timed_out: 0,
      cancelled: 0,
    }
  }
}
