/** The output of `ssh -G`: one `keyword value` per line, keywords in lower case, some repeated. */
export class ConfigDump {
  readonly #values = new Map<string, string[]>()

  constructor(text: string) {
    for (const line of text.split('\n')) {
      const space = line.indexOf(' ')
      if (space <= 0) continue
      const keyword = line.slice(0, space).toLowerCase()
      const values = this.#values.get(keyword) ?? []
      values.push(line.slice(space + 1).trim())
      this.#values.set(keyword, values)
    }
  }

  /** The first value; undefined for `none`. */
  one(keyword: string): string | undefined {
    const value = this.#values.get(keyword)?.[0]
    return value === undefined || value === 'none' || value === '' ? undefined : value
  }

  isNone(keyword: string): boolean {
    return this.#values.get(keyword)?.[0] === 'none'
  }

  all(keyword: string): readonly string[] {
    return (this.#values.get(keyword) ?? []).filter((value) => value !== 'none')
  }

  /** Values of one line; a path with spaces looks like two paths, because ssh does not quote them here. */
  words(keyword: string): readonly string[] {
    return this.all(keyword).flatMap((value) => value.split(/\s+/))
  }

  /** Seconds; undefined for 0 or no number. */
  seconds(keyword: string): number | undefined {
    const value = Number(this.one(keyword))
    return Number.isFinite(value) && value > 0 ? value : undefined
  }

  isOn(keyword: string): boolean {
    return ['yes', 'true'].includes(this.one(keyword) ?? 'no')
  }

  /** Whether `text` occurs in the value of any other keyword. */
  mentions(text: string, except: readonly string[]): boolean {
    return [...this.#values].some(
      ([keyword, values]) => !except.includes(keyword) && values.some((value) => value.includes(text)),
    )
  }
}
