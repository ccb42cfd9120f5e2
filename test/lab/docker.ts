import { execa } from 'execa'

export interface CommandResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly stdin?: string
}

/** Runs the docker client; a non-zero exit is a value. */
export async function tryDocker(args: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
  const { exitCode, stdout, stderr } = await execa('docker', args, { input: options.stdin ?? '', reject: false })
  return { exitCode: exitCode ?? -1, stdout, stderr }
}

/** Runs the docker client; a non-zero exit throws. */
export async function docker(args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { exitCode, stdout, stderr } = await tryDocker(args, options)
  if (exitCode !== 0) throw new Error(`docker ${args.slice(0, 3).join(' ')} exited with ${exitCode}: ${stderr}`)
  return stdout
}
