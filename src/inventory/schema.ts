import type { ErrorObject } from 'ajv'
import { assertNever } from '../errors/assert-never.ts'
import type { Validator } from '../generated/validators.js'
import type { InventoryIssue } from '../model/issue.ts'
import { type Found, findValue } from './find-value.ts'
import { type Fault, gatherFaults } from './schema-faults.ts'
import { wordsForChoice, wordsForError, wordsForName } from './schema-words.ts'
import { issueAt, type Place } from './source-text.ts'
import { isEmptyNode, plainValue, type YamlNode } from './yaml-node.ts'

/** Holds a file against the schema. Every mistake is told once and at its place in the file. */
export function checkShape(root: YamlNode, validate: Validator): readonly InventoryIssue[] {
  return faultsOf(root, validate).map((fault) => issueOfFault(root, fault))
}

/** What the schema finds, before anybody decides whether it matters. */
export function faultsOf(root: YamlNode, validate: Validator): readonly Fault[] {
  return validate(plainValue(root)) ? [] : gatherFaults(validate.errors ?? [])
}

/** A fault at its place in the file. */
export function issueOfFault(root: YamlNode, fault: Fault): InventoryIssue {
  const found = findValue(root, fault.path)
  switch (fault.sort) {
    case 'name':
      return issueAt(keyIn(found, fault.name), 'error', 'INPUT.NAME', wordsForName(fault))
    case 'choice': {
      const { code, message } = wordsForChoice(fault, found)
      return issueAt(placeOfValue(found), 'error', code, message)
    }
    case 'error': {
      const { code, message } = wordsForError(fault.error, found)
      return issueAt(placeOfError(fault.error, found), 'error', code, message)
    }
    default:
      return assertNever(fault)
  }
}

function placeOfError(error: ErrorObject, found: Found): Place {
  if (error.keyword === 'additionalProperties') return keyIn(found, String(error.params['additionalProperty']))
  if (error.keyword === 'required') return found.key ?? firstKey(found.node)
  return placeOfValue(found)
}

/** An empty value is nothing to point at, so its key is. */
function placeOfValue(found: Found): Place {
  return isEmptyNode(found.node) || found.node.type === 'map' ? (found.key ?? found.node) : found.node
}

function keyIn(found: Found, name: string): Place {
  return found.node.type === 'map' ? (found.node.entries.get(name)?.key ?? found.node) : found.node
}

function firstKey(node: YamlNode): Place {
  return node.type === 'map' ? (node.entries.values().next().value?.key ?? node) : node
}
