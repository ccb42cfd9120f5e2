import { DOMParser, onWarningStopParsing } from '@xmldom/xmldom'
import { build, type PlistValue, parse } from 'plist'
import type { SecretText } from '../../model/secret.ts'
import { type SecretTree, writeClosed } from '../closed-secrets.ts'
import { controlCharacters, keyInNotation } from '../key-text.ts'

/** A property list in XML with a comment before its first element; keys stay closed in it. */
export function plistText(comment: readonly string[], root: SecretTree): SecretText {
  const head = `${comment.map((line) => `${commentLine(line)}\n`).join('')}<plist `
  return writeClosed(root, {
    write: (tree) => `${build(tree, { indent: '\t' }).replace(/^<plist /m, () => head)}\n`,
    secret: (secret) => keyInNotation(secret, controlCharacters, escaped),
  })
}

/** Undefined: not a property list in XML. */
export function parsePlist(content: string): PlistValue | undefined {
  if (!/<plist[\s>]/.test(content) || !content.includes('</plist>')) return undefined
  try {
    // `parse` lets this parser print its errors to the terminal and cannot be configured otherwise: check the text first.
    new DOMParser({ onError: onWarningStopParsing }).parseFromString(content, 'text/xml')
    return parse(content)
  } catch {
    return undefined
  }
}

/** Two consecutive hyphens would end the comment too early for some parsers. */
export function commentLine(line: string): string {
  return `<!-- ${line.replaceAll('--', '- -')} -->`
}

function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
