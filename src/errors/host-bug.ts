import { ConvergeError } from './converge-error.ts'

/** Enough of a stack to find the place, and no more than a report can hold. */
const frames = 4

/** A bug that showed on one host, as that host's problem: the others go on. What is a problem already stays what it is. */
export function hostBug(host: string, error: unknown): ConvergeError {
  if (error instanceof ConvergeError) return error
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const place = trace.split('\n', frames).map((line) => line.trim())
  return new ConvergeError(
    'INTERNAL.HOST',
    {
      summary: 'A bug in converge. Nothing more is done on this host.',
      why: `converge failed while it was at work on ${host}, which is no fault of your inventory: ${place.join(' ')}`,
      next: [
        '`converge explain INTERNAL.HOST` says what that means.',
        'Please report it with the command you ran and the words above.',
      ],
    },
    { cause: error },
  )
}
