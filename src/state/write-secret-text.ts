import { realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { ConvergeError } from '../errors/converge-error.ts'
import { Secret, type SecretText } from '../model/secret.ts'
import { writeWhole } from './write-whole.ts'

/**
 * Writes a text with keys atomically, into a file that only this account can read. Pipes and devices are refused.
 *
 * @throws ConvergeError `ENDPOINTS.KEYS`, `USAGE.OUTPUT_FILE`
 */
export async function writeSecretText(file: string, text: SecretText): Promise<void> {
  await mustBeFile(file)
  const content = text.map((piece) => (piece instanceof Secret ? piece.reveal() : piece)).join('')
  await writeWhole(file, content, { mode: 0o600, consequence: 'Nothing was written.' })
}

/** Also checked before keys are read. @throws ConvergeError `ENDPOINTS.KEYS` */
export async function mustBeFile(file: string): Promise<void> {
  const why = await unsafe(file)
  if (why === undefined) return
  throw new ConvergeError('ENDPOINTS.KEYS', {
    summary: 'Keys are written only into a regular file of this account.',
    why: `${why} Nothing was written.`,
    next: ['Name a file in a folder of your own with --out.'],
  })
}

/** Where others may write, one of them may own the file, or prepare the one beside it that replaces it. */
async function unsafe(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined)
  if (found?.isFile() === false) return `${file} is a folder, a pipe or a device.`
  if (found !== undefined && found.uid !== process.getuid?.()) return `${file} belongs to another account.`
  const place = dirname(await realpath(file).catch(() => resolve(file)))
  const folder = await stat(place).catch(() => undefined)
  return folder !== undefined && (folder.mode & 0o002) !== 0 ? `Every account may write into ${place}.` : undefined
}
