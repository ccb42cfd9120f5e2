import { complete } from './complete.ts'
import { describedCommandLine } from './described.ts'

/** `converge complete SHELL …`, which the scripts call. Silent, because what it wrote would be in the middle of what is typed. */
export async function runCompletion(args: readonly string[], process: NodeJS.Process): Promise<void> {
  const { env, stdout } = process
  stdout.on('error', () => undefined)
  try {
    stdout.write(await complete(args, await describedCommandLine(), { env, cwd: process.cwd() }))
  } catch {
    // The working directory is gone, or the inventory is worse than any that was thought of.
  }
}
