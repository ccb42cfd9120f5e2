import type { Secret } from '../../model/secret.ts'
import { readyMarker } from './remote-command.ts'

/** The next step of the dialogue with sudo. */
export type SudoMove = 'wait' | 'send-password' | 'wrong-password' | 'send-script'

export interface SudoPassword {
  readonly secret: Secret
  /** The prompt that sudo was given. */
  readonly prompt: string
}

/**
 * The password is sent only after sudo printed our own prompt, and the script only after the shell behind sudo reported that it is ready.
 * So neither can be mistaken for the other: without a prompt (NOPASSWD) no password is sent, and a shell never reads one.
 */
export class SudoHandshake {
  readonly #prompt: string
  #answered = false

  constructor(prompt: string) {
    this.#prompt = prompt
  }

  /** @param stdout and `stderr`: everything received so far */
  next(stdout: string, stderr: string): SudoMove {
    if (stdout.includes(readyMarker)) return 'send-script'
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
