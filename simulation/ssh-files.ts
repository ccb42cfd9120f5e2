import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { newEd25519Key } from './ed25519-key.ts'

const run = promisify(execFile)

/** Keys and client files of one SSH server; nothing of the machine's own ssh config is read with them. */
export interface SshFiles {
  readonly directory: string
  readonly port: number
  /** The private key that may log in. */
  readonly keyFile: string
  /** `ssh -F` */
  readonly sshConfig: string
  readonly knownHosts: string
  readonly hostKeyFile: string
  /** `ssh-ed25519 AAAA…` of the server, and of the key that may log in. */
  readonly hostKey: string
  readonly publicKey: string
}

export interface SshFilesOptions {
  readonly hostKeyType?: KeyType
  /** Extra lines for the client's config, after `Host *`. */
  readonly clientConfig?: readonly string[]
  /** The port on which the server already listens; default: a free one, which another process may take meanwhile. */
  readonly port?: number
  /** Addresses that known_hosts names; default: 127.0.0.1. */
  readonly addresses?: readonly string[]
  /** An empty folder to write them to; default: one of their own in the temporary one. */
  readonly directory?: string
}

export type KeyType = 'ed25519' | 'ecdsa' | 'rsa'

export async function makeSshFiles(options: SshFilesOptions = {}): Promise<SshFiles> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'converge-ssh-')))
  const file = (name: string): string => join(directory, name)
  await Promise.all([makeKey(file('host_key'), options.hostKeyType), makeKey(file('id'))])
  const [hostKey, publicKey] = await Promise.all([publicHalf(file('host_key')), publicHalf(file('id'))])
  const port = options.port ?? (await freePort())
  const names = (options.addresses ?? ['127.0.0.1']).map((address) => `[${address}]:${port}`)
  await writeFile(file('known_hosts'), names.map((name) => `${name} ${hostKey}\n`).join(''))
  const settings = [`UserKnownHostsFile ${file('known_hosts')}`, 'GlobalKnownHostsFile none', ...(options.clientConfig ?? [])]
  await writeFile(file('ssh_config'), ['Host *', ...settings.map((line) => `  ${line}`), ''].join('\n'))
  return {
    directory,
    port,
    keyFile: file('id'),
    sshConfig: file('ssh_config'),
    knownHosts: file('known_hosts'),
    hostKeyFile: file('host_key'),
    hostKey,
    publicKey,
  }
}

/** A key pair without a passphrase, or with one: `<path>` and `<path>.pub`. The usual ones take no process: nearly every host has two. */
export async function makeKey(path: string, type: KeyType = 'ed25519', passphrase = ''): Promise<void> {
  const comment = 'converge-test'
  if (type !== 'ed25519' || passphrase !== '')
    return void (await run('ssh-keygen', ['-q', '-t', type, '-N', passphrase, '-C', comment, '-f', path]))
  const { privateFile, publicFile } = newEd25519Key(comment)
  await writeFile(path, privateFile, { mode: 0o600 })
  await writeFile(`${path}.pub`, publicFile)
}

/** `type base64` of a key pair. */
export async function publicHalf(path: string): Promise<string> {
  return (await readFile(`${path}.pub`, 'utf8')).trim().split(' ').slice(0, 2).join(' ')
}

/** A port that was free a moment ago, and that Linux gives to no socket unasked. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + randomInt(9000)
    const server = createServer()
    // oxlint-disable-next-line no-await-in-loop -- one after another
    const isFree = await new Promise<boolean>((resolve) =>
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true)),
    )
    if (!isFree) continue
    server.close()
    // oxlint-disable-next-line no-await-in-loop -- as above
    await once(server, 'close')
    return port
  }
}
