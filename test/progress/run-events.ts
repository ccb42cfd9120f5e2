import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import type { RunEvent } from '../../src/model/event.ts'

export interface RunStory {
  readonly events: readonly (RunEvent & { readonly at: number })[]
  readonly plain: string
  readonly terminal: string
}

/** A run as the engine tells it, and what is to be seen of it: `test/fixtures/progress/<name>.yaml`. */
export function runStory(name = 'run'): RunStory {
  const file = fileURLToPath(new URL(`../fixtures/progress/${name}.yaml`, import.meta.url))
  const story: RunStory = parse(readFileSync(file, 'utf8'))
  return story
}
