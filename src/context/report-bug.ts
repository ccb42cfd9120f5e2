import { PartlyRendered } from '../report/host-blocks.ts'
import type { Context } from './context.ts'

/** @param then a sentence about the consequence */
export function reportBug({ err }: Pick<Context, 'err'>, error: unknown, then: string): void {
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error)
  err.writeProse(
    `This is a bug in converge, not in your inventory. ${then}\nPlease report it with the command you ran and these lines:\n\n${err.paint.whole(trace)}\n`,
  )
}

/** Reports a bug that did not end the run; the program exits with code 1 because of it. @param then a sentence about the consequence */
export function noteBug(context: Pick<Context, 'err' | 'bugs'>, error: unknown, then: string): void {
  context.bugs.push(error)
  reportBug(context, error, then)
}

/** A text that lacks a host because of a bug is better than none. */
export function wholeOrPart(context: Pick<Context, 'err' | 'bugs'>, render: () => string): string {
  try {
    return render()
  } catch (error) {
    if (!(error instanceof PartlyRendered)) throw error
    noteBug(context, error.cause, 'The affected part is left out; the rest follows.')
    return error.text
  }
}
