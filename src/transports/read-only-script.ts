import type { Script } from './script.ts'

/**
 * A script that looks and changes nothing. It can be made here alone, and only by the few files that `test/architecture.test.ts` names:
 * whoever holds no more than a `HostView` has no way to send anything else.
 */
export class ReadOnlyScript {
  readonly #script: Script

  private constructor(script: Script) {
    this.#script = script
  }

  /** Whoever calls this vouches for the text: it is a constant, and data reaches it as arguments. */
  static vouchedFor(script: Script): ReadOnlyScript {
    return new ReadOnlyScript({ ...script, text: [guard, ...script.text], readOnly: true })
  }

  /** What is sent. */
  unwrap(): Script {
    return this.#script
  }
}

/**
 * The promise is kept on the host as well, as far as a shell can: no byte goes into any file (`ulimit -f 0`, for all that the script
 * starts), a redirection empties none (`set -C`), nothing that dies leaves a core, and Python keeps no compiled code. Where the limit
 * is met, the write fails (signal 25, XFSZ, is ignored); no program is killed for it.
 */
const guard = `set -C
ulimit -c 0 2>/dev/null || :
ulimit -f 0 2>/dev/null || :
trap '' 25
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
`
