import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { ConvergeError } from '../../errors/converge-error.ts'
import { shell } from '../../lib/next-command.ts'
import { runTool, type ToolResult } from '../child-process.ts'
import { noSshClient } from '../errors/no-ssh-client.ts'
import type { Topic } from '../memory.ts'
import type { TransportOptions } from '../transport-options.ts'
import { ConfigDump } from './config-dump.ts'
import type { Destination } from './destination.ts'
import { type HostClasses, hostClasses, isUnchangedBySsh, namedHosts } from './host-classes.ts'
import { readSettings } from './read-settings.ts'
import type { SshSettings } from './ssh-settings.ts'

type Options = Pick<TransportOptions, 'startLimiter' | 'env' | 'sshConfig' | 'signal'>

/**
 * What OpenSSH would do for this destination, from `ssh -G`. One process answers for all hosts that the config does not distinguish.
 */
export async function resolveSettings(destination: Destination, options: Options): Promise<SshSettings> {
  const common = commonArguments(destination, options)
  // OpenSSH's `~` is the account's home in the user database, whatever `HOME` says.
  const { uid, username: user, homedir: home } = userInfo()
  const local = { uid, user, home }
  const answer = await askOpenSsh(destination, common, options)
  return readSettings(answer, { destination, arguments: common, local, env: options.env })
}

function commonArguments(destination: Destination, options: Options): readonly string[] {
  const config = options.sshConfig === undefined ? [] : ['-F', options.sshConfig]
  return [...config, ...destination.sshArgs]
}

/** Without the lines that contain the host's name; null: the answers differ in more than that. */
const templates: Topic<string | null> = { name: 'ssh -G for a class' }
const singles: Topic<ConfigDump> = { name: 'ssh -G for a host' }
const classes: Topic<HostClasses> = { name: 'classes of hosts' }

async function askOpenSsh(destination: Destination, common: readonly string[], options: Options): Promise<ConfigDump> {
  const { memory } = options.startLimiter
  const { name } = destination
  const askExactly = () => {
    const args = [...common, ...option('-p', destination.port), ...option('-l', destination.user)]
    return memory.once(singles, JSON.stringify([args, name]), async () => new ConfigDump(await dump(args, name, options)))
  }
  if (!isUnchangedBySsh(name)) return askExactly()
  const key = JSON.stringify(common)
  // A refusal by ssh concerns one host: hosts that share its question ask again separately.
  const known = await memory.once(classes, key, () => findClasses(common, name, options)).catch(() => undefined)
  const hostClass = known?.classOf(name)
  if (hostClass === undefined) return askExactly()
  const ask = async () => templateOf(await dump(common, name, options), name)
  const template = await memory.once(templates, `${key}${hostClass}`, ask).catch(() => null)
  return template === null ? askExactly() : new ConfigDump(`hostname ${name}\n${template}`)
}

/** Null if the name was expanded into other values: then the answer does not apply to other hosts. */
function templateOf(text: string, name: string): string | null {
  const parsed = new ConfigDump(text)
  const canonicalizes = parsed.isOn('canonicalizehostname') || parsed.one('canonicalizehostname') === 'always'
  const ownName = ['host', 'hostname', 'originalhost']
  if (canonicalizes || parsed.one('hostname') !== name || parsed.mentions(name, ownName)) return null
  return text.replace(/^(host|hostname|originalhost) .*\n/gm, '')
}

function option(flag: string, value: string | number | undefined): readonly string[] {
  return value === undefined ? [] : [flag, String(value)]
}

/** The debug output lists the files that ssh reads; without it every host is asked about separately. */
async function findClasses(common: readonly string[], name: string, options: Options): Promise<HostClasses> {
  const files = await configFiles(common, name, options)
  if (files.length === 0) return { classOf: () => undefined }
  try {
    return hostClasses(await Promise.all(files.map((file) => readFile(file, 'utf8'))))
  } catch {
    return { classOf: () => undefined }
  }
}

/** Those that `Include` names as well, whichever block it is in. */
async function configFiles(common: readonly string[], name: string, options: Options): Promise<readonly string[]> {
  const { stderr } = await runSsh(['-v', ...common, '-G', '--', name], options)
  const files = [...stderr.matchAll(/Reading configuration data (.+)/g)].map((match) => (match[1] ?? '').trim())
  return [...new Set(files)]
}

/** The hosts that the user's ssh config names, as they stand there. @throws ConvergeError `CONNECT.SSH_CONFIG` */
export async function configuredHosts(options: Options): Promise<readonly string[]> {
  const common = commonArguments({ name: '', sshArgs: [] }, options)
  const files = await configFiles(common, 'converge-lists-hosts', options)
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')))
  return namedHosts(texts)
}

async function dump(args: readonly string[], name: string, options: Options): Promise<string> {
  return (await runSsh([...args, '-G', '--', name], options)).stdout
}

async function runSsh(args: readonly string[], options: Options): Promise<ToolResult> {
  const { env, signal } = options
  const result = await options.startLimiter.runTool(() => runTool('ssh', args, { env, signal }))
  if (result.missing) throw noSshClient('The ssh program, which reads your ssh config, is not on the PATH of this machine.')
  if (result.exitCode !== 0)
    throw new ConvergeError('CONNECT.SSH_CONFIG', {
      summary: 'the ssh config is unusable',
      why: `OpenSSH refused its own configuration: ${result.stderr.trim()}`,
      next: [shell(`ssh ${args.filter((arg) => arg !== '-v').join(' ')}`)],
    })
  return result
}
