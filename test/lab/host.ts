import { constants } from 'node:os'
import { basename, dirname } from 'node:path'
import { execa } from 'execa'
import { type CommandResult, docker, type RunOptions, tryDocker } from './docker.ts'
import { enter } from './enter.ts'

/** Where a host is and how to log in: plain data, so that it can be handed from the global setup to the tests. */
export interface HostCoordinates {
  readonly name: string
  readonly containerId: string
  /** What an OpenSSH client dials; a host behind the bastion has the name the bastion knows it by. */
  readonly address: string
  readonly port: number
  readonly user: string
  readonly keyFile: string
  readonly knownHostsFile: string
  /** For `ssh -F`: every host of the same lab is in it by its name. */
  readonly sshConfigFile: string
}

export interface ExecOptions extends RunOptions {
  /** Default: root. */
  readonly user?: string
}

export interface LabHost extends HostCoordinates {
  /** Runs a shell command inside, past SSH: to prepare a test and to look at what really happened. */
  exec(command: string, options?: ExecOptions): Promise<CommandResult>
  /** Copies a file or directory in; root owns it. */
  copyIn(source: string, target: string): Promise<void>
  /** Copies these of a folder into one that is made where it is missing, all at once; root owns them. */
  copyEachIn(source: string, names: readonly string[], target: string): Promise<void>
  /** Ends the host at once, as a power cut would. */
  stop(): Promise<void>
}

export function attach(coordinates: HostCoordinates): LabHost {
  const { containerId } = coordinates
  return {
    ...coordinates,
    exec: (command, { user, ...options } = {}) =>
      user === undefined
        ? asRoot(containerId, command, options)
        : tryDocker(['exec', '--interactive', '--user', user, containerId, 'sh', '-c', command], options),
    copyIn: (source, target) => send(containerId, dirname(source), [basename(source)], [unpack, basename(source), target]),
    copyEachIn: (source, names, target) => send(containerId, source, names, [unpackEach, target, ...names]),
    stop: async () => {
      await docker(['rm', '--force', '--volumes', containerId])
    },
  }
}

/** `docker cp` and `docker exec` take ten times as long. */
const pack = 'folder=$1; shift; tar -C "$folder" -cf - -T - | "$@"'

/** What the script makes of the archive happens inside. */
async function send(containerId: string, folder: string, names: readonly string[], script: readonly string[]): Promise<void> {
  const [unpacking = '', ...words] = script
  const inside = [...(await enter(containerId)), 'sh', '-c', unpacking, 'sh', ...words]
  await execa('sh', ['-c', pack, 'sh', folder, ...inside], { input: names.join('\n') })
}

/** Into a folder that is there under the name it has, else as the target. */
const unpack = `set -e
name=$1 target=$2 folder=$2
[ -d "$target" ] || folder=$(dirname "$target")
tar -C "$folder" -xf -
if [ "$folder" != "$target" ] && [ "$folder/$name" != "$target" ]; then mv "$folder/$name" "$target"; fi
chown -R 0:0 "$target"`

const unpackEach = `set -e
mkdir -p "$1" && cd "$1" && shift
tar -xf -
chown -R 0:0 "$@"`

async function asRoot(containerId: string, command: string, { stdin = '' }: RunOptions): Promise<CommandResult> {
  const [program = '', ...words] = await enter(containerId)
  const { exitCode, signal, stdout, stderr } = await execa(program, [...words, 'sh', '-c', command], {
    input: stdin,
    reject: false,
  })
  return { exitCode: exitCode ?? (signal === undefined ? -1 : 128 + constants.signals[signal]), stdout, stderr }
}

/** Like `exec`, for steps that must succeed. */
export async function mustExec(host: LabHost, command: string, options?: ExecOptions): Promise<string> {
  const { exitCode, stdout, stderr } = await host.exec(command, options)
  if (exitCode !== 0) throw new Error(`${host.name}: '${command}' exited with ${exitCode}: ${stderr || stdout}`)
  return stdout
}
