import { indent } from './indent.ts'

/** A reason as people read it: sentences on one line; a list, or the output of a program, on lines of its own, indented. */
export function whyText(why: string): string {
  return indent(why).trimStart()
}
