import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import type { RunEvent } from '../../src/model/event.ts'

export interface RunStory {
  readonly events: readonly (RunEvent & { readonly at: number })[]
  readonly plain: string
  readonly terminal: string
}

/** The events of a run, and what the display shows of it: `test/fixtures/progress/<name>.yaml`. */
export function runStory(name = 'run'): RunStory {
  const file = fileURLToPath(new URL(`../fixtures/progress/${name}.yaml`, import.meta.url))
  const story: RunStory = parse(readFileSync(file, 'utf8'))
  return story
}
