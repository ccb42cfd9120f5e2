import { constants } from 'node:fs'
import { access, readFile, stat } from 'node:fs/promises'
import type { ParsedKey } from 'ssh2'
import type { Memory, Topic } from '../memory.ts'
import { parseKey } from '../ssh2-library.ts'
import { type AgentKey, parsePublicKey } from './agent-keys.ts'

/** The kinds of identity files. */
export type KeyFile =
  | { readonly state: 'private'; readonly key: ParsedKey }
  /** Only its public half is readable: it needs a passphrase, or it is a `.pub`. An agent may hold the private key. */
  | { readonly state: 'encrypted' | 'public'; readonly publicKey: AgentKey | undefined }
  /** A hardware key, a key with a certificate, or a format that only OpenSSH reads. */
  | { readonly state: 'beyond-ssh2'; readonly reason: string }
  | { readonly state: 'missing' }
  /** The reason follows the file's name in a sentence. */
  | { readonly state: 'unusable'; readonly reason: string }

const files: Topic<KeyFile> = { name: 'key file' }

export function readKeyFile(path: string, memory: Memory): Promise<KeyFile> {
  return memory.once(files, path, () => readFresh(path))
}

async function readFresh(path: string): Promise<KeyFile> {
  const info = await stat(path).catch(() => undefined)
  if (info === undefined || !info.isFile()) return { state: 'missing' }
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return { state: 'unusable', reason: 'is not readable' }
  const [asPublic] = parsePublicKey(text)
  if (asPublic !== undefined) return { state: 'public', publicKey: asPublic }
  // OpenSSH refuses such a file too; files of another owner are root's business.
  if ((info.mode & 0o077) !== 0 && info.uid === process.getuid?.())
    return { state: 'unusable', reason: 'is readable by other users (chmod 600)' }
  return readPrivate(path, text)
}

async function readPrivate(path: string, text: string): Promise<KeyFile> {
  if (await exists(`${path}-cert.pub`)) return { state: 'beyond-ssh2', reason: `${path}-cert.pub is a certificate` }
  const publicKey = await publicHalf(path)
  if (publicKey?.type.startsWith('sk-') === true) return { state: 'beyond-ssh2', reason: `${path} belongs to a hardware key` }
  const key = await parseKey(text)
  if (key === 'encrypted') return { state: 'encrypted', publicKey }
  if (key === undefined || !key.isPrivateKey()) return otherFormat(path, text)
  return { state: 'private', key }
}

function otherFormat(path: string, text: string): KeyFile {
  return text.includes('PRIVATE KEY-----')
    ? { state: 'beyond-ssh2', reason: `${path} is in a format that only OpenSSH reads` }
    : { state: 'unusable', reason: 'is no private key' }
}

async function publicHalf(path: string): Promise<AgentKey | undefined> {
  const text = await readFile(`${path}.pub`, 'utf8').catch(() => '')
  return parsePublicKey(text)[0]
}

async function exists(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  )
}
