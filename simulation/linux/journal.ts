export interface JournalEntry {
  readonly at: number
  readonly unit: string
  /** The program that wrote it, and its process; systemd itself is process 1. */
  readonly program: string
  readonly pid: number
  readonly text: string
}

/** What services print and what systemd says of them, by line. */
export class Journal {
  readonly entries: JournalEntry[] = []
  readonly #followers = new Set<(entry: JournalEntry) => void>()

  /** Calls `take` with each later entry, until the result is called. */
  follow(take: (entry: JournalEntry) => void): () => void {
    this.#followers.add(take)
    return () => void this.#followers.delete(take)
  }

  say(unit: string, text: string): void {
    this.#add({ at: Date.now(), unit, program: 'systemd', pid: 1, text })
  }

  /** Takes a stream's lines as they end. */
  listen(stream: NodeJS.ReadableStream, source: Pick<JournalEntry, 'unit' | 'program' | 'pid'>): void {
    let rest = ''
    const add = (text: string) => this.#add({ at: Date.now(), ...source, text })
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) add(line)
    })
    stream.once('end', () => {
      if (rest !== '') add(rest)
    })
  }

  #add(entry: JournalEntry): void {
    this.entries.push(entry)
    for (const take of this.#followers) take(entry)
  }
}
