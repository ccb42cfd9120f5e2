import { ConvergeError } from './converge-error.ts'

/** Enough of the stack to find the code, and short enough for a report. */
const frames = 4

/** A bug on one host, as a problem of that host, so that the others continue. A `ConvergeError` is returned as it is. */
export function hostBug(host: string, error: unknown): ConvergeError {
  if (error instanceof ConvergeError) return error
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const stack = trace.split('\n', frames).map((line) => line.trim())
  return new ConvergeError(
    'INTERNAL.HOST',
    {
      summary: 'A bug in converge. Nothing more is done on this host.',
      why: `converge failed while it worked on ${host}. This is not a mistake in your inventory: ${stack.join(' ')}`,
      next: ['`converge explain INTERNAL.HOST` explains it.', 'Please report it with your command and this message.'],
    },
    { cause: error },
  )
}
