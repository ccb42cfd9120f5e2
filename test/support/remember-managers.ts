import { managers } from '../../src/managers/index.ts'
import type { Manager, RenderInput } from '../../src/managers/manager.ts'

/** Files of tests share a process. */
let isRemembering = false

/**
 * Lets the managers write and compare the same definition once only, in this process. They are pure, so nothing else changes; YAML and
 * property lists would take half the time of a test that plans thousands of fleets.
 */
export function rememberDefinitions(): void {
  if (isRemembering) return
  isRemembering = true
  for (const manager of Object.values(managers)) {
    const plain = { ...manager }
    const remembering: Pick<Manager, 'render' | 'compareDefinitions'> = {
      render: remembered((input) => plain.render(input), namedInput),
      compareDefinitions: remembered(
        (from, to, kind) => plain.compareDefinitions(from, to, kind),
        (...all) => JSON.stringify(all),
      ),
    }
    Object.assign(manager, remembering)
  }
}

function namedInput(input: RenderInput): string {
  return JSON.stringify([input, input.key?.reveal()])
}

function remembered<A extends readonly unknown[], R>(compute: (...all: A) => R, nameOf: (...all: A) => string): (...all: A) => R {
  const known = new Map<string, R>()
  return (...all) => {
    const name = nameOf(...all)
    const before = known.get(name)
    if (before !== undefined) return before
    const result = compute(...all)
    known.set(name, result)
    return result
  }
}
