import { createTwoFilesPatch } from 'diff'

/** A unified diff with three lines of context and `a/…`, `b/…` names; empty if the texts are equal. */
export function textDiff(name: string, from: string, to: string): string {
  if (from === to) return ''
  return createTwoFilesPatch(`a/${name}`, `b/${name}`, from, to, undefined, undefined, { context: 3 }).replace(/^=+\n/, '')
}
