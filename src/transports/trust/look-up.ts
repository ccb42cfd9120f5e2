import { readFile } from 'node:fs/promises'
import { runTool } from '../child-process.ts'
import { noSshClient } from '../errors/no-ssh-client.ts'
import type { Topic } from '../memory.ts'
import type { KnownHostsSettings } from '../settings/ssh-settings.ts'
import type { TransportOptions } from '../transport-options.ts'
import { type KnownKeys, mergeKnown, noKeys, parseFound } from './known-keys.ts'
import { type PlainKnownHosts, readPlainKnownHosts } from './plain-known-hosts.ts'

type Options = Pick<TransportOptions, 'startLimiter' | 'env' | 'signal'>

const plainFiles: Topic<PlainKnownHosts | null> = { name: 'known-hosts file' }
const searched: Topic<KnownKeys> = { name: 'ssh-keygen -F' }

/**
 * Keys from plain lines, without starting a process; undefined: there are none, or a marker in one of the files may change the result.
 * A match may be accepted; before a key is refused, ask `searchKnownKeys`.
 */
export async function plainKnownKeys(settings: KnownHostsSettings, options: Options): Promise<KnownKeys | undefined> {
  const trusted: KnownKeys['trusted'][number][] = []
  for (const file of settings.files) {
    const plain = await options.startLimiter.memory.once(plainFiles, file, () => readPlain(file))
    const keys = plain === null ? [] : plain.keysOf(settings.lookup)
    if (keys === undefined) return undefined
    trusted.push(...keys)
  }
  return trusted.length === 0 ? undefined : { ...noKeys, trusted }
}

async function readPlain(file: string): Promise<PlainKnownHosts | null> {
  try {
    return readPlainKnownHosts(await readFile(file, 'utf8'), file)
  } catch {
    return null
  }
}

/** Everything OpenSSH knows about this name, including hashed names, wildcards, authorities and revocations. */
export async function searchKnownKeys(settings: KnownHostsSettings, options: Options): Promise<KnownKeys> {
  const { memory } = options.startLimiter
  const found = settings.files.map(async (file) => {
    const readable = await memory.once(plainFiles, file, () => readPlain(file))
    if (readable === null) return noKeys
    return memory.once(searched, `${settings.lookup}\0${file}`, () => keygenFind(settings.lookup, file, options))
  })
  return mergeKnown(await Promise.all(found))
}

async function keygenFind(name: string, file: string, options: Options): Promise<KnownKeys> {
  const { env, signal } = options
  const result = await options.startLimiter.runTool(() => runTool('ssh-keygen', ['-F', name, '-f', file], { env, signal }))
  if (!result.missing) return result.exitCode === 0 ? parseFound(result.stdout, file) : noKeys
  throw noSshClient('The ssh-keygen program, which reads known-hosts files, is not on the PATH of this machine.')
}
