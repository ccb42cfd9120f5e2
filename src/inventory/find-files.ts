import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { InventoryIssue } from '../model/issue.ts'
import { reasonOf } from './read-source.ts'
import { issueAbout } from './source-text.ts'

/** Where the files of an inventory lie, in the order in which they count. */
export interface FoundFiles {
  readonly hosts: readonly string[]
  readonly vars: readonly FoundVars[]
  readonly issues: readonly InventoryIssue[]
}

export interface FoundVars {
  readonly path: string
  readonly level: 'group' | 'host'
  readonly owner: string
}

/** As Ansible does: every YAML file of the folder in alphabetical order, and `group_vars/` and `host_vars/` in it. */
export async function findInDirectory(directory: string): Promise<FoundFiles> {
  const entries = await list(directory)
  if (!Array.isArray(entries)) return { hosts: [], vars: [], issues: [entries] }
  const hosts = entries.filter((entry) => isYaml(entry.name)).map((entry) => join(directory, entry.name))
  const { vars, issues } = await findVars(directory)
  return { hosts, vars, issues: [...checkEntries(directory, entries, hosts), ...issues] }
}

/** A single file may have the two folders beside it, as in Ansible. */
export async function findBesideFile(file: string, directory: string): Promise<FoundFiles> {
  return { hosts: [file], ...(await findVars(directory)) }
}

function checkEntries(directory: string, entries: readonly Dirent[], hosts: readonly string[]): readonly InventoryIssue[] {
  const others = entries.filter((entry) => !isYaml(entry.name) && !varsFolders.has(entry.name))
  if (hosts.length === 0) {
    const seen = others.map((entry) => `\`${entry.name}\``).join(', ')
    const words = `The folder holds no YAML file with hosts${seen === '' ? '' : `, only ${seen}`}. Hosts stand in hosts.yaml; \`ansible-inventory -i OLD --list --yaml\` makes one of an inventory in another form.`
    return [issueAbout(directory, 'error', 'INPUT.MISSING', words)]
  }
  const unread = others.map((entry) => {
    const words = 'Ansible would read this as a part of the inventory; converge reads `*.yaml` and `*.yml` only.'
    return issueAbout(join(directory, entry.name), 'warning', 'INPUT.NOT_READ', words)
  })
  const names = new Set(hosts)
  const twice = hosts.filter((path) => path.endsWith('.yml') && names.has(path.replace(/\.yml$/u, '.yaml')))
  const doubled = twice.map((path) =>
    issueAbout(path, 'warning', 'INPUT.AMBIGUOUS', 'It lies beside a `.yaml` of the same name; both are read.'),
  )
  return [...unread, ...doubled]
}

const varsFolders: ReadonlyMap<string, FoundVars['level']> = new Map([
  ['group_vars', 'group'],
  ['host_vars', 'host'],
])

async function findVars(directory: string): Promise<Pick<FoundFiles, 'vars' | 'issues'>> {
  const vars: FoundVars[] = []
  const issues: InventoryIssue[] = []
  for (const [folder, level] of varsFolders) {
    const path = join(directory, folder)
    if (!(await exists(path))) continue
    const entries = await list(path)
    if (!Array.isArray(entries)) {
      issues.push(entries)
      continue
    }
    issues.push(...checkOwners(path, entries))
    for (const entry of entries) {
      const isFolder = await leadsToFolder(path, entry)
      const owner = isFolder ? entry.name : entry.name.replace(yamlEnding, '')
      const files = isFolder ? await findBelow(join(path, entry.name), issues) : yamlFile(path, entry.name, issues)
      vars.push(...files.map((file) => ({ path: file, level, owner })))
    }
  }
  return { vars, issues }
}

function yamlFile(folder: string, name: string, issues: InventoryIssue[]): readonly string[] {
  const path = join(folder, name)
  if (isYaml(name)) return [path]
  const words = 'Ansible reads this file, and converge does not: it reads `*.yaml` and `*.yml` only. Rename it, or move it away.'
  issues.push(issueAbout(path, 'error', 'INPUT.NOT_READ', words))
  return []
}

/** Folders below that are nested deeper than this are links in a circle. */
const deepest = 16

async function findBelow(folder: string, issues: InventoryIssue[], depth = 1): Promise<readonly string[]> {
  const entries = await list(folder)
  if (!Array.isArray(entries) || depth > deepest) {
    issues.push(
      Array.isArray(entries)
        ? issueAbout(folder, 'error', 'INPUT.UNREADABLE', 'The folders here are nested without end.')
        : entries,
    )
    return []
  }
  const files: string[] = []
  for (const entry of entries) {
    const isFolder = await leadsToFolder(folder, entry)
    files.push(
      ...(isFolder ? await findBelow(join(folder, entry.name), issues, depth + 1) : yamlFile(folder, entry.name, issues)),
    )
  }
  return files
}

/** Of `x/`, `x.yml` and `x.yaml` Ansible reads one and says nothing about the others. */
function checkOwners(folder: string, entries: readonly Dirent[]): readonly InventoryIssue[] {
  const first = new Map<string, string>()
  return entries.flatMap((entry) => {
    const owner = entry.name.replace(yamlEnding, '')
    const other = first.get(owner)
    first.set(owner, other ?? entry.name)
    if (other === undefined) return []
    const words = `It lies beside \`${other}\`; of the two Ansible reads one and passes over the other. Put everything into one of them.`
    return [issueAbout(join(folder, entry.name), 'error', 'INPUT.CONFLICT', words)]
  })
}

const yamlEnding = /\.ya?ml$/u

function isYaml(name: string): boolean {
  return yamlEnding.test(name)
}

/** What Ansible passes over as well: hidden files, backups, notes, and other tools' settings. */
const passedOver = /^\.|(?:~|\.(?:pyc|pyo|swp|bak|rpm|md|txt|rst|orig|ini|cfg|retry))$/u

async function list(folder: string): Promise<Dirent[] | InventoryIssue> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries
      .filter((entry) => !passedOver.test(entry.name))
      .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  } catch (error) {
    return issueAbout(folder, 'error', 'INPUT.UNREADABLE', `The folder cannot be read: ${reasonOf(error)}.`)
  }
}

async function leadsToFolder(folder: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory()
  try {
    return (await stat(join(folder, entry.name))).isDirectory()
  } catch {
    // A link that leads nowhere is told when it is read as a file.
    return false
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT')
  }
}
