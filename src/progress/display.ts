import type { Emit } from '../model/event.ts'

/** Live progress on stderr; gets every event of the run and is told when to let go of the terminal. */
export interface Display {
  readonly emit: Emit
  stop(): Promise<void>
}
