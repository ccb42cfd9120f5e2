import { issueAbout, issueAt, type SourceText, sourceText } from '../inventory/source-text.ts'
import { UnreadableFile } from '../inventory/unreadable-file.ts'
import type { InventoryIssue } from '../model/issue.ts'
import { readGivenFile } from './read-regular-file.ts'

/** A file of more bytes is no inventory. */
const mostBytes = 64 * 1024 * 1024

/** A file as text, or why it cannot be had. A byte order mark is left out. */
export async function readSource(path: string, quoting: SourceText['quoting']): Promise<SourceText | InventoryIssue> {
  const bytes = await readBytes(path)
  return bytes instanceof Uint8Array ? decode(path, bytes, quoting) : bytes
}

async function readBytes(path: string): Promise<Uint8Array | InventoryIssue> {
  try {
    return (await readGivenFile(path, mostBytes)).bytes
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    return unreadable(path, error.code === undefined ? `${upperFirst(error.message)}.` : `It cannot be read: ${reasonOf(error)}.`)
  }
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
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

function decode(path: string, bytes: Uint8Array, quoting: SourceText['quoting']): SourceText | InventoryIssue {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  if (isUtf16) return unreadable(path, 'It is UTF-16 text; save it as UTF-8.')
  try {
    return sourceText(path, new TextDecoder('utf-8', { fatal: true }).decode(bytes), quoting)
  } catch {
    const source = sourceText(path, new TextDecoder('utf-8').decode(bytes), quoting === 'nothing' ? 'nothing' : 'line')
    const start = Math.max(source.text.indexOf('\uFFFD'), 0)
    const words = 'From here on the bytes are not UTF-8 text; save the file as UTF-8.'
    return issueAt({ source, start, end: start + 1 }, 'error', 'INPUT.UNREADABLE', words)
  }
}

function unreadable(path: string, words: string): InventoryIssue {
  return issueAbout(path, 'error', 'INPUT.UNREADABLE', words)
}
