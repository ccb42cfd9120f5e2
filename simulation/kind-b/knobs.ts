import { existsSync, readFileSync } from 'node:fs'

/** How a server is made slow, broken or old: `PROGRAM.knobs.json`, read when it starts. */
export interface Knobs {
  /** Knows `--no-browser`, as in the specification. */
  readonly noBrowser?: boolean
  readonly loadMs?: number
  /** Loads until this file is there. */
  readonly loadUntil?: string
  /** The engine ends with this instead of becoming ready. */
  readonly loadExit?: number
  /** The first generation after a start. */
  readonly firstMs?: number
  readonly answerMs?: number
  /** The engine does not listen to SIGTERM. */
  readonly ignoreTerm?: boolean
}

export function knobsOf(program: string): Knobs {
  const file = `${program}.knobs.json`
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}
