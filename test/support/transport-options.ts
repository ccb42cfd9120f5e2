import type { Script } from '../../src/transports/script.ts'
import { createStartLimiter } from '../../src/transports/start-limiter.ts'
import type { TransportOptions } from '../../src/transports/transport-options.ts'

export interface TestOptions extends TransportOptions {
  /** The messages for a person. */
  readonly notices: string[]
}

/** Options as the command line makes them; no secret can be resolved unless the test brings a way. */
export function transportOptions(own: Partial<TransportOptions> = {}): TestOptions {
  const notices: string[] = []
  return {
    signal: new AbortController().signal,
    connectTimeoutMs: 10_000,
    startLimiter: createStartLimiter(),
    env: { ...process.env, SSH_AUTH_SOCK: undefined },
    resolveSecret: () => Promise.reject(new Error('this test has no secrets')),
    notice: (text) => notices.push(text),
    ...own,
    notices,
  }
}

export function script(text: string, own: Partial<Script> = {}): Script {
  return { label: 'a test script', text: [text], args: [], elevate: false, timeoutMs: 20_000, ...own }
}
