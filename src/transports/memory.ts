/** Caches answers, also for concurrent callers. */
export interface Memory {
  /** The result of `make` for this topic and key; failures are not cached. */
  once<T>(topic: Topic<T>, key: string, make: () => Promise<T>): Promise<T>
  forget<T>(topic: Topic<T>, key: string): void
}

/** Names a kind of answer and its type. */
export interface Topic<T> {
  readonly name: string
  /** Never set: it makes the type part of the topic. */
  readonly answers?: T
}

export function createMemory(): Memory {
  const answers = new Map<string, Promise<unknown>>()
  return {
    once<T>(topic: Topic<T>, key: string, make: () => Promise<T>): Promise<T> {
      const id = idOf(topic, key)
      const known = answers.get(id)
      // The topic determines the type of its answers.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      if (known !== undefined) return known as Promise<T>
      const made = make()
      answers.set(id, made)
      made.catch(() => answers.get(id) === made && answers.delete(id))
      return made
    },
    forget: (topic, key) => {
      answers.delete(idOf(topic, key))
    },
  }
}

function idOf(topic: Topic<unknown>, key: string): string {
  return `${topic.name}\0${key}`
}
