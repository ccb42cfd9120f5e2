import { createInterface } from 'node:readline/promises'
import type { Context } from '../context/context.ts'
import { exitCodes } from '../context/exit-code.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { converge } from '../lib/next-command.ts'
import { type OutputFlags, stdoutFormat } from './deliver.ts'

/** Exit code when a person declines at the question, by "no" or by an interrupt: nothing was done, and nothing failed. */
export const notWanted = exitCodes.interrupted

/**
 * Asks on stderr. Only `y` and `yes` mean yes; end of input and interrupts mean no.
 *
 * @param otherwise shown after a no
 */
export async function isAgreed(context: Context, question: string, otherwise?: string): Promise<boolean> {
  const prompt = createInterface({ input: context.stdin, output: context.err.stream })
  const gone = new Promise<boolean>((resolve) => {
    // On a terminal readline handles Ctrl-C itself.
    prompt.once('SIGINT', () => resolve(false))
    prompt.once('close', () => resolve(false))
  })
  const asked = prompt.question(`\n${question} [y/N] `, { signal: context.signal }).then(
    (text) => /^y(es)?$/i.test(text.trim()),
    () => false,
  )
  const agreed = await Promise.race([asked, gone]).finally(() => prompt.close())
  if (!agreed && otherwise !== undefined) context.err.writeProse(`\n${otherwise}\n`)
  return agreed
}

/** @throws ConvergeError `USAGE.CONFIRM` */
export function mustBeAbleToAsk(context: Context, flags: OutputFlags, confirmed: boolean): void {
  if (confirmed || (context.stdin.isTTY && context.err.isTerminal && stdoutFormat(flags) !== 'json')) return
  const [verb = 'apply'] = context.argv
  throw new ConvergeError('USAGE.CONFIRM', {
    summary: 'There is no terminal to ask for confirmation.',
    why: `\`converge ${verb}\` asks before it changes anything, and there is no terminal to answer on. Nothing was done.`,
    next: [
      ...(['apply', 'pin', 'prune'].includes(verb)
        ? [converge([...context.argv, '--check'], { say: 'Preview the changes:' })]
        : []),
      converge([...context.argv, '-y'], { say: 'Skip the prompt (refusals stay refused):' }),
    ],
  })
}
