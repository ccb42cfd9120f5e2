import type { Secret } from '../../model/secret.ts'
import { readyMark } from './remote-command.ts'

/** What to do next on the way through sudo. */
export type SudoMove = 'wait' | 'send-password' | 'wrong-password' | 'send-script'

export interface SudoPassword {
  readonly secret: Secret
  /** What sudo was told to ask with. */
  readonly prompt: string
}

/**
 * The password is sent only after sudo asked for it with our own prompt, and the script only after the shell behind sudo said that it
 * is ready. So neither can be taken for the other: without a question (NOPASSWD) no password leaves, and a shell never reads one.
 */
export class SudoHandshake {
  readonly #prompt: string
  #answered = false

  constructor(prompt: string) {
    this.#prompt = prompt
  }

  /** @param stdout and `stderr`: everything that came so far. */
  next(stdout: string, stderr: string): SudoMove {
    if (stdout.includes(readyMark)) return 'send-script'
    const asked = stderr.split(this.#prompt).length - 1
    if (asked === 0) return 'wait'
    if (!this.#answered) {
      this.#answered = true
      return 'send-password'
    }
    const since = stderr.slice(stderr.indexOf(this.#prompt))
    return asked > 1 || /try again|incorrect password/i.test(since) ? 'wrong-password' : 'wait'
  }
}
