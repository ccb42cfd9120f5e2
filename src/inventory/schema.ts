import type { ErrorObject } from 'ajv'
import { assertNever } from '../errors/assert-never.ts'
import type { Validator } from '../generated/validators.js'
import type { InventoryIssue } from '../model/issue.ts'
import { findValue, type LocatedValue } from './find-value.ts'
import { type Fault, gatherFaults } from './schema-faults.ts'
import { wordsForChoice, wordsForError, wordsForName } from './schema-words.ts'
import { issueAt, type SourceRange } from './source-text.ts'
import { isEmptyNode, plainValue, type YamlNode } from './yaml-node.ts'

/** Checks a file against the schema. Every fault is reported once, at its position in the file. */
export function checkShape(root: YamlNode, validate: Validator): readonly InventoryIssue[] {
  return faultsOf(root, validate).map((fault) => issueOfFault(root, fault))
}

/** All faults that the schema finds; the caller decides which of them matter. */
export function faultsOf(root: YamlNode, validate: Validator): readonly Fault[] {
  return validate(plainValue(root)) ? [] : gatherFaults(validate.errors ?? [])
}

/** A fault as an issue at its position in the file. */
export function issueOfFault(root: YamlNode, fault: Fault): InventoryIssue {
  const found = findValue(root, fault.path)
  switch (fault.sort) {
    case 'name':
      return issueAt(keyIn(found, fault.name), 'error', 'INPUT.NAME', wordsForName(fault))
    case 'choice': {
      const { code, message } = wordsForChoice(fault, found)
      return issueAt(rangeOfValue(found), 'error', code, message)
    }
    case 'error': {
      const { code, message } = wordsForError(fault.error, found)
      return issueAt(rangeOfError(fault.error, found), 'error', code, message)
    }
    default:
      return assertNever(fault)
  }
}

function rangeOfError(error: ErrorObject, found: LocatedValue): SourceRange {
  if (error.keyword === 'additionalProperties') return keyIn(found, String(error.params['additionalProperty']))
  if (error.keyword === 'required') return found.key ?? firstKey(found.node)
  return rangeOfValue(found)
}

/** An empty value has no visible text, so the issue points at its key. */
function rangeOfValue(found: LocatedValue): SourceRange {
  return isEmptyNode(found.node) || found.node.type === 'map' ? (found.key ?? found.node) : found.node
}

function keyIn(found: LocatedValue, name: string): SourceRange {
  return found.node.type === 'map' ? (found.node.entries.get(name)?.key ?? found.node) : found.node
}

function firstKey(node: YamlNode): SourceRange {
  return node.type === 'map' ? (node.entries.values().next().value?.key ?? node) : node
}
