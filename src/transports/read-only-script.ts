import type { Script } from './script.ts'

/**
 * A script that changes nothing. Only this file creates it, and only for the few files that `test/architecture.test.ts` names: a `HostView`
 * cannot send anything else.
 */
export class ReadOnlyScript {
  readonly #script: Script

  private constructor(script: Script) {
    this.#script = script
  }

  /** The caller vouches for the text: it is a constant, and data reaches it as arguments. */
  static vouchedFor(script: Script): ReadOnlyScript {
    return new ReadOnlyScript({ ...script, text: [guard, ...script.text], readOnly: true })
  }

  /** The script to send. */
  unwrap(): Script {
    return this.#script
  }
}

/**
 * Enforces this on the host as far as a shell can: no byte is written to any file (`ulimit -f 0`, also for child processes), redirections do
 * not truncate files (`set -C`), crashes leave no core, and Python caches no compiled code. At the limit the write fails, and signal 25
 * (XFSZ) is ignored, so that no program is killed.
 */
const guard = `set -C
ulimit -c 0 2>/dev/null || :
ulimit -f 0 2>/dev/null || :
trap '' 25
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
`
