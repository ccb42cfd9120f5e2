import type { Emit } from '../model/event.ts'

/** Live progress on stderr. It gets every event of the run; `stop` releases the terminal. */
export interface Display {
  readonly emit: Emit
  stop(): Promise<void>
}
