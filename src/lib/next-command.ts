import type { NextCommand } from '../model/next-step.ts'
import { shellQuote } from './shell-quote.ts'

/** The words around a command. */
interface CommandWords {
  /** Its purpose, with a colon at the end. */
  readonly say?: string
  /** The end of the line, for people to fill in. */
  readonly fillIn?: string
  /** What it does, as a trailing comment. */
  readonly note?: string
}

/** @param command the words after `converge`, the verb first: `['plan', '--limit', 'nas']` */
export function converge(command: readonly string[], words: CommandWords = {}): NextCommand {
  return new Command(command, words)
}

/** A line for a shell, on this machine or on a host. */
export function shell(line: string, words: CommandWords = {}): NextCommand {
  return new Command(line, words)
}

class Command implements NextCommand {
  readonly command: readonly string[] | string
  readonly #words: CommandWords

  constructor(command: readonly string[] | string, words: CommandWords) {
    this.command = command
    this.#words = words
  }

  text(command = this.command, whole = (line: string) => line): string {
    const { say, fillIn, note } = this.#words
    const line = typeof command === 'string' ? command : shellQuote(['converge', ...command])
    const copied = [line, ...(fillIn === undefined ? [] : [fillIn]), ...(note === undefined ? [] : [`   # ${note}`])].join(' ')
    return `${say === undefined ? '' : `${say}  `}${whole(copied)}`
  }

  toJSON(): string {
    return this.text()
  }

  toString(): string {
    return this.text()
  }
}
