/** How often something may repeat; `most` may be Infinity. */
interface Repetition {
  readonly least: number
  readonly most: number
}

const mostWays = 1000
const mostOpenRepetitions = 6
/** A bounded repetition of more than this costs as much as an open one. */
const openFrom = 10

/**
 * Estimates the cost of a regular expression and throws a `SyntaxError` for what could run practically forever on a backtracking engine: repeating a
 * group that can match the same text in very many ways, and too many open repetitions.
 */
export class RegexCost {
  /** Roughly in how many ways each open group may match; Infinity once it contains an open repetition. */
  readonly #groups: number[] = [1]
  /** The number of ways of the item before a repetition; undefined: there is none. */
  #last: number | undefined
  #openRepetitions = 0

  atom(): void {
    this.#last = 1
  }

  open(): void {
    this.#groups.push(1)
    this.#last = undefined
  }

  close(): void {
    const ways = this.#groups.pop() ?? 1
    if (this.#groups.length === 0) throw new SyntaxError('a `)` closes nothing')
    this.#multiply(ways)
    this.#last = ways
  }

  choice(): void {
    this.#groups.push((this.#groups.pop() ?? 1) + 1)
    this.#last = undefined
  }

  repeat({ least, most }: Repetition): void {
    const ways = this.#last
    if (ways === undefined) throw new SyntaxError('there is nothing to repeat')
    if (most > openFrom && most !== least) this.#openRepetitions++
    if (this.#openRepetitions > mostOpenRepetitions) throw new SyntaxError('it has more than six open repetitions')
    if (most > 1 && ways ** most > mostWays) {
      throw new SyntaxError('it repeats a group that can itself match in many ways, which could take forever')
    }
    // The group's own ways are counted already; infinitely many were refused unless the group repeats at most once.
    const more = ways > 1 && ways < Infinity && most > 1 ? ways ** (most - 1) : 1
    this.#multiply(more * (most - least + 1))
    this.#last = undefined
  }

  #multiply(factor: number): void {
    this.#groups.push((this.#groups.pop() ?? 1) * factor)
  }
}
