import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import type { RunEvent } from '../../src/model/event.ts'

export interface RunStory {
  readonly events: readonly (RunEvent & { readonly at: number })[]
  readonly plain: string
  readonly terminal: string
}

/** A run as the engine tells it, and what is to be seen of it. */
export function runStory(): RunStory {
  const story: RunStory = parse(readFileSync(fileURLToPath(new URL('../fixtures/progress/run.yaml', import.meta.url)), 'utf8'))
  return story
}
