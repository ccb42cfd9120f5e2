import { createInterface } from 'node:readline/promises'
import type { Context } from './context.ts'

/** Asks on stderr; only `y` and `yes` are a yes. An interrupt or an end of input is a no. */
export async function askYes(context: Context, question: string): Promise<boolean> {
  const prompt = createInterface({ input: context.stdin, output: context.err.stream })
  const gone = new Promise<string>((resolve) => {
    prompt.once('close', () => resolve('no'))
  })
  try {
    const asked = prompt.question(`\n${question} [y/N] `, { signal: context.signal })
    return /^y(es)?$/i.test((await Promise.race([asked.catch(() => 'no'), gone])).trim())
  } finally {
    prompt.close()
  }
}
