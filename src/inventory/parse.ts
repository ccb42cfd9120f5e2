import { type Document, isScalar, parseDocument, type ScalarTag, visit, type YAMLError } from 'yaml'
import type { InventoryIssue } from '../model/issue.ts'
import { composeNode } from './compose-nodes.ts'
import { hideSecretComments, hideSecretLines } from './hide-secrets.ts'
import { issueAt, type SourceText } from './source-text.ts'
import type { YamlNode } from './yaml-node.ts'

export interface ParsedFile {
  readonly source: SourceText
  /** Undefined: the file has no value. */
  readonly root: YamlNode | undefined
  readonly issues: readonly InventoryIssue[]
  /** Wholly encrypted with Ansible Vault; `root` is undefined. */
  readonly isEncrypted?: true
}

/**
 * One YAML 1.2 document with positions. Ansible's tags `!vault` and `!unsafe` are supported. Other tags are errors; so are duplicate keys, a second
 * document, and aliases before their anchor.
 */
export function parseYaml(source: SourceText): ParsedFile {
  if (source.text.startsWith('$ANSIBLE_VAULT;')) return { source, root: undefined, issues: [], isEncrypted: true }
  const document = readDocument(source)
  if ('severity' in document) return { source, root: undefined, issues: [document] }
  // Later mistakes are mostly consequences of the first.
  const mistake = document.errors[0] ?? document.warnings[0]
  if (mistake !== undefined) {
    hideSecretLines(source)
    return { source, root: undefined, issues: [notYaml(source, () => syntaxIssue(source, document, mistake))] }
  }
  hideSecretComments(source)
  const contents = document.contents
  if (contents === null || (isScalar(contents) && contents.value === null)) return { source, root: undefined, issues: [] }
  // A file of another format is one long text for YAML.
  if (isScalar(contents) && source.quoting === 'nothing') return { source, root: undefined, issues: [notYaml(source)] }
  if (isScalar(contents)) source.quoting = 'line'
  const { root, issues } = composeNode(source, contents)
  return { source, root, issues }
}

/** A file that is not YAML may be any file that a link leads to, so at most the line of the mistake is shown. */
function notYaml(source: SourceText, issue?: () => InventoryIssue): InventoryIssue {
  if (source.quoting === 'context') source.quoting = 'line'
  if (issue !== undefined && source.quoting !== 'nothing') return issue()
  const words = 'This is not the expected YAML. The file is outside the inventory, so its content is not shown.'
  return issueAt({ source, start: 0, end: 0 }, 'error', 'INPUT.SYNTAX', words)
}

/** Keys are compared while composing, in linear time; the parser's own comparison is quadratic. */
const options = { uniqueKeys: false, prettyErrors: false, schema: 'core', merge: false, customTags: ansibleTags() } as const

function readDocument(source: SourceText): Document.Parsed | InventoryIssue {
  try {
    return parseDocument(source.text, options)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    hideSecretLines(source)
    const everything = { source, start: 0, end: 0 }
    return notYaml(source, () => issueAt(everything, 'error', 'INPUT.SYNTAX', 'The file is nested too deeply to be read.'))
  }
}

function textTag(tag: string): ScalarTag {
  return { tag, resolve: (value) => value }
}

function ansibleTags() {
  return [
    textTag('!vault'),
    textTag('!vault-encrypted'),
    textTag('!unsafe'),
    { tag: '!unsafe', collection: 'map' as const },
    { tag: '!unsafe', collection: 'seq' as const },
  ]
}

function syntaxIssue(source: SourceText, document: Document.Parsed, error: YAMLError): InventoryIssue {
  const [start, end] = error.pos
  const opened = error.code === 'MISSING_CHAR' ? startOfScalarEndingAt(document, start) : undefined
  const range = opened === undefined ? { source, start, end } : { source, start: opened, end: opened + 1 }
  return issueAt(range, 'error', 'INPUT.SYNTAX', isBehindTab(source, start) ? tabWords : wordsFor(error))
}

/** After a tab, the parser often complains about the next token instead of the tab. */
function isBehindTab(source: SourceText, offset: number): boolean {
  const before = source.text.slice(source.text.lastIndexOf('\n', offset - 1) + 1, offset)
  return before.trim() === '' && before.includes('\t')
}

/** The parser notices a missing quote at the end of the file; the message should point at its start. */
function startOfScalarEndingAt(document: Document.Parsed, offset: number): number | undefined {
  let start: number | undefined
  visit(document, {
    Scalar: (_key, node) => {
      if (node.range && node.range[0] < offset && node.range[1] >= offset) start = node.range[0]
    },
  })
  return start
}

const tabWords = 'A tab is used for indentation; YAML takes spaces only.'

function wordsFor(error: YAMLError): string {
  const words = wordsForCode(error.message)[error.code]
  return words ?? `This is not YAML: ${lowerFirst(error.message)}.`
}

function wordsForCode(message: string): Partial<Record<YAMLError['code'], string>> {
  return {
    TAB_AS_INDENT: tabWords,
    BAD_INDENT: `The indentation does not fit: ${lowerFirst(message)}.`,
    MULTIPLE_DOCS: 'A second document starts here; a file may have only one. Remove the `---` or split the file.',
    MULTILINE_IMPLICIT_KEY: 'A colon seems to be missing at the end of this line.',
    BLOCK_AS_IMPLICIT_KEY: 'This line has a second colon. Put the value in quotes, or on lines of its own.',
    BAD_SCALAR_START: `${message}. Put the value in quotes.`,
    MISSING_CHAR: message.startsWith('Missing closing')
      ? 'This quote is never closed.'
      : `This is not YAML: ${lowerFirst(message)}.`,
    TAG_RESOLVE_FAILED: `\`${message.replace('Unresolved tag: ', '')}\` is not a supported tag: \`!vault\` marks encrypted text, \`!unsafe\` marks text that is not a template. Text that starts with \`!\` needs quotes.`,
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
