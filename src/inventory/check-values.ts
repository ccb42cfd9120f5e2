import type { InventoryIssue } from '../model/issue.ts'
import { secretFlag, secretVariable } from '../servers/word-patterns.ts'
import { olderReading } from './ambiguous-scalar.ts'
import { insteadOfSecret, vaultElsewhere } from './schema-words.ts'
import { issueAt } from './source-text.ts'
import type { IsUsed } from './used-variables.ts'
import { namesOf } from './written-host.ts'
import { walk, type YamlMap, type YamlNode, type YamlScalar } from './yaml-node.ts'

/**
 * What the schema cannot check of single values that converge uses: tags in the wrong place, templates, secrets in arguments, and plain scalars that
 * Ansible reads differently.
 */
export function checkValues(vars: YamlMap, isUsed: IsUsed): readonly InventoryIssue[] {
  const issues: InventoryIssue[] = []
  for (const [name, entry] of vars.entries) {
    if (isUsed(name, entry)) walk(entry.value, (node, path) => issues.push(...checkNode(node, path)), [name])
  }
  return issues
}

/** The same for files without variables of other tools. */
export function checkAllValues(root: YamlNode): readonly InventoryIssue[] {
  const issues: InventoryIssue[] = []
  walk(root, (node, path) => issues.push(...checkNode(node, path)))
  return issues
}

function checkNode(node: YamlNode, path: readonly string[]): readonly InventoryIssue[] {
  if (node.type === 'list') return isExtraArgs(path) ? checkArguments(node.items) : []
  if (node.type !== 'scalar') return []
  // `checkNotify` checks these placeholders.
  const templates = isOfNotify(path, ['title', 'body']) ? [] : checkTemplate(node, path)
  // converge reads this variable as Ansible does.
  const readings = path[0] === 'ansible_become' ? [] : checkReading(node)
  return [...checkVault(node, path), ...templates, ...checkEnvironment(node, path), ...readings]
}

function checkVault(node: YamlScalar, path: readonly string[]): readonly InventoryIssue[] {
  const isSecret =
    (path.length === 1 && namesOf('ansible_become_password').includes(path[0] ?? '')) ||
    (path[0] === 'services' && ['api_key', 'model.source.token'].includes(path.slice(2).join('.'))) ||
    isOfNotify(path, ['webhook'])
  if (node.tag === 'vault' && !isSecret) {
    return [issueAt(node, 'error', 'INPUT.VALUE', vaultElsewhere(`\`${path.at(-1) ?? ''}\``))]
  }
  if (node.tag !== 'vault' && isSecret && node.value !== null) {
    return [issueAt(node, 'error', 'INPUT.VALUE', 'This looks like an encrypted value; write `!vault |` in front of it.')]
  }
  return []
}

function isOfNotify([first, second, , field = '', ...rest]: readonly string[], fields: readonly string[]): boolean {
  return first === 'fleet' && second === 'notify' && fields.includes(field) && rest.length === 0
}

function checkTemplate(node: YamlScalar, path: readonly string[]): readonly InventoryIssue[] {
  if (node.tag !== undefined || typeof node.value !== 'string' || !/\{\{|\{%/u.test(node.value)) return []
  const words = `\`${path.filter((step) => !/^\d+$/u.test(step)).join('.')}\` is a template, but converge evaluates no templates. Write the value itself, or mark literal text with \`!unsafe\`.`
  return [issueAt(node, 'error', 'INPUT.TEMPLATE', words)]
}

function checkReading(node: YamlScalar): readonly InventoryIssue[] {
  if (!node.plain) return []
  const raw = node.source.text.slice(node.start, node.end)
  const older = olderReading(raw)
  if (older === undefined) return []
  const ours = typeof node.value === 'number' ? `the number ${node.value}` : 'text'
  const advice =
    typeof node.value === 'number'
      ? 'Write it without a zero in front, or in quotes.'
      : 'Put it in quotes; a truth value is `true` or `false`.'
  const words = `\`${raw}\` is ${ours} here; Ansible reads it as ${older}. ${advice}`
  return [issueAt(node, 'warning', 'INPUT.AMBIGUOUS', words)]
}

function isExtraArgs(path: readonly string[]): boolean {
  return path[0] === 'services' && path[2] === 'extra_args' && path.length === 3
}

function checkArguments(items: readonly YamlNode[]): readonly InventoryIssue[] {
  return items.flatMap((item) => {
    const text = item.type === 'scalar' ? String(item.value) : ''
    const flag = secretFlag.exec(text)
    if (flag === null) return []
    const name = text.replace(/=.*$/u, '')
    const words = `\`${name}\` puts a secret into the arguments, where this file and every process list show it. Use \`api_key\`. ${insteadOfSecret}`
    return [issueAt(item, 'error', 'INPUT.PLAIN_SECRET', words)]
  })
}

function checkEnvironment(node: YamlScalar, path: readonly string[]): readonly InventoryIssue[] {
  const [first, , field, name = ''] = path
  if (first !== 'services' || field !== 'env' || path.length !== 4 || !secretVariable.test(name)) return []
  const words = `\`${name}\` looks like a secret. Use \`api_key\`. ${insteadOfSecret}`
  return [issueAt(node, 'error', 'INPUT.PLAIN_SECRET', words)]
}
