import { issueAbout, issueAt, type SourceText, sourceText } from '../inventory/source-text.ts'
import { UnreadableFile } from '../inventory/unreadable-file.ts'
import type { InventoryIssue } from '../model/issue.ts'
import { readGivenFile } from './read-regular-file.ts'

/** A larger file is no inventory. */
const mostBytes = 64 * 1024 * 1024

/** A file as text, or why it is unreadable. A byte order mark is removed. */
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

/** The operating system's reason why a path cannot be used. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'it does not exist; perhaps a link is dangling',
    EACCES: 'permission denied (EACCES)',
    EPERM: 'permission denied (EPERM)',
    ELOOP: 'links form a loop',
    ENOTDIR: 'part of the path is not a folder',
  }
  return words[code] ?? code
}

function decode(path: string, bytes: Uint8Array, quoting: SourceText['quoting']): SourceText | InventoryIssue {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  if (isUtf16) return unreadable(path, 'It is UTF-16 text; save it as UTF-8.')
  try {
    const source = sourceText(path, new TextDecoder('utf-8', { fatal: true }).decode(bytes), quoting)
    return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? { ...source, hasMark: true } : source
  } catch {
    const source = sourceText(path, new TextDecoder('utf-8').decode(bytes), quoting === 'nothing' ? 'nothing' : 'line')
    const start = Math.max(source.text.indexOf('\uFFFD'), 0)
    const words = 'The file is not valid UTF-8 from here on; save it as UTF-8.'
    return issueAt({ source, start, end: start + 1 }, 'error', 'INPUT.UNREADABLE', words)
  }
}

function unreadable(path: string, words: string): InventoryIssue {
  return issueAbout(path, 'error', 'INPUT.UNREADABLE', words)
}
