import { PartlyRendered } from '../report/host-blocks.ts'
import type { Context } from './context.ts'
import { bugText } from './uncaught.ts'

/** Tells of a bug that ended nothing; the program ends with exit code 1 because of it. @param then what is done because of it, in a sentence */
export function noteBug(context: Pick<Context, 'err' | 'bugs'>, error: unknown, then: string): void {
  context.bugs.push(error)
  context.err.write(bugText(error, then))
}

/** A text in which a host is missing for a bug is better than none. */
export function wholeOrPart(context: Pick<Context, 'err' | 'bugs'>, render: () => string): string {
  try {
    return render()
  } catch (error) {
    if (!(error instanceof PartlyRendered)) throw error
    noteBug(context, error.cause, 'What is missing because of it says so; the rest follows.')
    return error.text
  }
}
