import { stat } from 'node:fs/promises'
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
  const found = await stat(file).catch(() => undefined)
  if (found === undefined || found.isFile()) return
  throw new ConvergeError('ENDPOINTS.KEYS', {
    summary: 'Keys are written only into a regular file.',
    why: `${file} is a folder, a pipe or a device. Nothing was written.`,
    next: ['Name a file in a folder of your own with --out.'],
  })
}
