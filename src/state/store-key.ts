import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ConvergeError } from '../errors/converge-error.ts'
import type { Secret } from '../model/secret.ts'

/**
 * Stores a key in a file that only this account can read. Never replaces a file.
 *
 * @returns whether it was created; false: it has this key already
 * @throws ConvergeError `USAGE.OUTPUT_FILE`
 */
export async function storeKey(file: string, key: Secret): Promise<boolean> {
  const content = `${key.reveal()}\n`
  const temporary = `${file}.${process.pid}.tmp`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(temporary, content, { flag: 'wx', mode: 0o600 })
    // A link never replaces a file.
    await link(temporary, file)
    return true
  } catch (error) {
    const before = await readFile(file, 'utf8').catch(() => undefined)
    if (before === content) return false
    const why =
      before !== undefined ? 'it exists and has another key' : error instanceof Error ? (error.message.split(', ')[0] ?? '') : ''
    throw new ConvergeError('USAGE.OUTPUT_FILE', {
      summary: 'A key could not be stored.',
      why: `${file}: ${why}. The inventory was not changed.`,
      next: ['Name another folder with --key-file, or remove the file.'],
    })
  } finally {
    await rm(temporary, { force: true })
  }
}
