import type { Context } from '../../context/context.ts'
import { shell } from '../../lib/next-command.ts'
import type { Check } from '../../model/doctor-document.ts'
import { runTool, type ToolResult } from '../../transports/child-process.ts'
import { noSshClient } from '../../transports/errors/no-ssh-client.ts'
import { parsePublicKey } from '../../transports/login/agent-keys.ts'
import { note, ok, oneLine, problem } from './check.ts'

type Surroundings = Pick<Context, 'env' | 'signal'>

/** The first whose `ssh -G` names jump hosts and the agent; both are read from there. */
const oldest = { major: 7, minor: 3 }

/** Nothing here asks for anything; a program that waits longer is stuck. */
const patienceMs = 5000

/** Undefined: it did not end in time. */
async function ask(file: string, args: readonly string[], { env, signal }: Surroundings): Promise<ToolResult | undefined> {
  const patience = AbortSignal.timeout(patienceMs)
  try {
    return await runTool(file, args, { env, signal: AbortSignal.any([signal, patience]) })
  } catch (error) {
    signal.throwIfAborted()
    if (patience.aborted) return undefined
    throw error
  }
}

export async function checkSsh(around: Surroundings): Promise<Check> {
  const result = await ask('ssh', ['-V'], around)
  if (result === undefined) return problem('ssh', '`ssh -V` does not end', [shell('command -v ssh')])
  if (result.missing) return missing('ssh', 'connects to the hosts and reads your ssh config')
  const said = `${result.stderr}\n${result.stdout}`
  const [name, major, minor] = /\bOpenSSH(?:_for_Windows)?_(\d+)\.(\d+)(?:p\d+)?/.exec(said) ?? []
  if (name === undefined) return problem('ssh', `the program is not OpenSSH: ${oneLine(said)}`, noSshClient('').next)
  const isOld = Number(major) < oldest.major || (Number(major) === oldest.major && Number(minor) < oldest.minor)
  const found = name.replace('_', ' ')
  if (!isOld) return ok('ssh', found)
  const since = `${oldest.major}.${oldest.minor}`
  return problem('ssh', `${found} is too old: jump hosts and agents are read with \`ssh -G\` of ${since} or newer`, [
    `Install OpenSSH ${since} or newer.`,
  ])
}

/** Its version is that of ssh: it has no option to print one. */
export async function checkSshKeygen(around: Surroundings): Promise<Check> {
  const result = await ask('ssh-keygen', ['-?'], around)
  if (result?.missing === true) return missing('ssh-keygen', 'looks up the known keys of hosts')
  if (result === undefined) return problem('ssh-keygen', '`ssh-keygen` does not end', [shell('command -v ssh-keygen')])
  return ok('ssh-keygen', 'found')
}

/** Without an agent, keys come from files. Names of keys are not shown. */
export async function checkAgent(around: Surroundings): Promise<Check> {
  const socket = around.env['SSH_AUTH_SOCK']
  if (socket === undefined || socket === '')
    return note('agent', 'none ($SSH_AUTH_SOCK is not set): only key files without a passphrase can be used', [
      shell('eval "$(ssh-agent)" && ssh-add'),
    ])
  const result = await ask('ssh-add', ['-L'], around)
  if (result === undefined) return note('agent', `it does not answer at ${socket}`, [startAgain])
  if (result.missing) return note('agent', 'unknown: there is no ssh-add program to ask it')
  const keys = result.stdout.split('\n').flatMap(parsePublicKey).length
  if (result.exitCode === 0) return ok('agent', `reachable, ${keys} ${keys === 1 ? 'key' : 'keys'}`)
  if (result.exitCode === 1) return note('agent', 'reachable, but without a key', [shell('ssh-add')])
  return note('agent', `unreachable at ${socket}`, [startAgain])
}

const startAgain = shell('eval "$(ssh-agent)" && ssh-add', { say: 'Log in again, or:' })

function missing(program: 'ssh' | 'ssh-keygen', purpose: string): Check {
  return problem(program, `not on the PATH of this machine; it ${purpose}`, noSshClient('').next)
}
