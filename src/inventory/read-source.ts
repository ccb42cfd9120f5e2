import { readFile, stat } from 'node:fs/promises'
import type { InventoryIssue } from '../model/issue.ts'
import { issueAbout, issueAt, type SourceText, sourceText } from './source-text.ts'

/** A file of more bytes is no inventory. */
const mostBytes = 64 * 1024 * 1024

/** A file as text, or why it cannot be had. A byte order mark is left out. */
export async function readSource(path: string): Promise<SourceText | InventoryIssue> {
  const bytes = await readBytes(path)
  return bytes instanceof Uint8Array ? decode(path, bytes) : bytes
}

async function readBytes(path: string): Promise<Uint8Array | InventoryIssue> {
  try {
    const found = await stat(path)
    if (!found.isFile()) return unreadable(path, 'It is not a plain file.')
    if (found.size > mostBytes) return unreadable(path, `It is larger than ${mostBytes / 1024 / 1024} MiB.`)
    return await readFile(path)
  } catch (error) {
    return unreadable(path, `It cannot be read: ${reasonOf(error)}.`)
  }
}

/** The operating system's word for why a path cannot be used. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'there is nothing at this path; perhaps a link leads nowhere',
    EACCES: 'you are not permitted to (EACCES)',
    EPERM: 'you are not permitted to (EPERM)',
    ELOOP: 'links lead in a circle',
    ENOTDIR: 'part of the path is not a folder',
  }
  return words[code] ?? code
}

function decode(path: string, bytes: Uint8Array): SourceText | InventoryIssue {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  if (isUtf16) return unreadable(path, 'It is UTF-16 text; save it as UTF-8.')
  try {
    return sourceText(path, new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    const source = sourceText(path, new TextDecoder('utf-8').decode(bytes))
    const start = Math.max(source.text.indexOf('\uFFFD'), 0)
    const words = 'From here on the bytes are not UTF-8 text; save the file as UTF-8.'
    return issueAt({ source, start, end: start + 1 }, 'error', 'INPUT.UNREADABLE', words)
  }
}

function unreadable(path: string, words: string): InventoryIssue {
  return issueAbout(path, 'error', 'INPUT.UNREADABLE', words)
}
