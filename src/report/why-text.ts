import { indent } from './indent.ts'

/** A reason as people read it: sentences on one line; a list, or what a program said, on lines of its own and further right. */
export function whyText(why: string): string {
  return indent(why).trimStart()
}
