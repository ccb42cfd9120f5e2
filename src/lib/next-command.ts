import type { NextCommand } from '../model/next-step.ts'
import { shellQuote } from './shell-quote.ts'

/** What stands around a command. */
interface Around {
  /** What it is for, with a colon at its end. */
  readonly say?: string
  /** The end of the line as it is: what people fill in. */
  readonly fillIn?: string
  /** What it does, as a comment behind it. */
  readonly note?: string
}

/** @param words behind `converge`, the verb first: `['plan', '--limit', 'nas']` */
export function converge(words: readonly string[], around: Around = {}): NextCommand {
  return new Command(words, around)
}

/** A line that is typed into a shell, on this machine or on a host. */
export function shell(line: string, around: Around = {}): NextCommand {
  return new Command(line, around)
}

class Command implements NextCommand {
  readonly command: readonly string[] | string
  readonly #around: Around

  constructor(command: readonly string[] | string, around: Around) {
    this.command = command
    this.#around = around
  }

  text(command = this.command, whole = (line: string) => line): string {
    const { say, fillIn, note } = this.#around
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
