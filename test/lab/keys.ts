import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'

export interface KeyPair {
  readonly file: string
  readonly publicKey: string
}

/** An ed25519 key pair that lives as long as the directory it is in. */
export async function createKey(directory: string, name: string): Promise<KeyPair> {
  const file = join(directory, name)
  await execa('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', `lab-${name}`, '-f', file])
  return { file, publicKey: await readFile(`${file}.pub`, 'utf8') }
}
